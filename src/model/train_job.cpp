// SPDX-License-Identifier: Apache-2.0

#include "model/train_job.h"

#include <fmt/format.h>

#include "model/runtime.h"
#include "model/trainer_names.h"

namespace trainjobc::model {

std::optional<LocatedInt> decode_int(const yaml::Node* node) {
  if (!node) return std::nullopt;
  const auto value = node->as_int();
  return value ? std::optional(LocatedInt{*value, node}) : std::nullopt;
}

std::optional<LocatedText> decode_text(const yaml::Node* node) {
  if (!node || !node->is_string()) return std::nullopt;
  return LocatedText{node->text(), node};
}

namespace {

using yaml::Node;

const Node* list_at(const Node& node, std::string_view key) {
  const Node* value = node.get(key);
  return value && value->is_list() ? value : nullptr;
}

std::optional<Initializer> decode_initializer(const Node* node) {
  if (!node || !node->is_map()) return std::nullopt;
  Initializer initializer;
  initializer.node = node;
  initializer.storage_uri = decode_text(node->get("storageUri"));
  initializer.env = list_at(*node, "env");
  initializer.secret_ref = node->get("secretRef");
  return initializer;
}

std::optional<Trainer> decode_trainer(const Node* node) {
  if (!node || !node->is_map()) return std::nullopt;
  Trainer trainer;
  trainer.node = node;
  trainer.image = node->get("image");
  trainer.command = list_at(*node, "command");
  trainer.args = list_at(*node, "args");
  trainer.env = list_at(*node, "env");
  trainer.num_nodes = decode_int(node->get("numNodes"));
  trainer.num_proc_per_node = node->get("numProcPerNode");
  const Node* resources = node->get("resourcesPerNode");
  if (resources && resources->is_map()) trainer.resources_per_node = resources;
  return trainer;
}

std::vector<LocatedText> target_jobs(const Node& override) {
  std::vector<LocatedText> names;
  for (const Node* target : items_at(override, "targetJobs")) {
    if (const auto name = decode_text(target->get("name"))) names.push_back(*name);
  }
  return names;
}

}  // namespace

RuntimeRef decode_runtime_ref(const Node* node) {
  RuntimeRef ref;
  if (!node || !node->is_map()) return ref;
  ref.node = node;
  if (const auto name = decode_text(node->get("name"))) ref.name = *name;
  ref.api_group = string_at(*node, {"apiGroup"});
  ref.kind = string_at(*node, {"kind"});
  return ref;
}

std::string ObjectId::str() const {
  return fmt::format("{}/{}/{}", kind, effective_namespace(*this), name);
}

ObjectId identify(const Node& document) {
  ObjectId id;
  id.kind = string_at(document, {"kind"});
  id.name = string_at(document, {"metadata", "name"});
  id.namespaced = id.kind != kClusterTrainingRuntime;
  if (id.namespaced) id.ns = string_at(document, {"metadata", "namespace"});
  return id;
}

TrainJob decode_train_job(const Node& root, const Node& encoded) {
  TrainJob job;
  job.root = &root;
  job.encoded = &encoded;
  job.id = identify(root);
  job.uid = string_at(root, {"metadata", "uid"});
  const Node* spec = root.get("spec");
  if (!spec || !spec->is_map()) return job;
  job.runtime_ref = decode_runtime_ref(spec->get("runtimeRef"));
  job.dataset = decode_initializer(spec->at({"initializer", "dataset"}));
  job.model = decode_initializer(spec->at({"initializer", "model"}));
  job.trainer = decode_trainer(spec->get("trainer"));
  job.suspend = spec->get("suspend");
  job.managed_by = spec->get("managedBy");
  return job;
}

std::vector<PodOverride> decode_pod_overrides(const TrainJob& job) {
  std::vector<PodOverride> overrides;
  for (const Node* node : items_at(*job.encoded, {"spec", kPodSpecOverrides})) {
    overrides.push_back({node, kPodSpecOverrides, target_jobs(*node), nullptr, node});
  }
  for (const Node* node : items_at(*job.encoded, {"spec", kPodTemplateOverrides})) {
    overrides.push_back(
        {node, kPodTemplateOverrides, target_jobs(*node), node->get("metadata"), node->get("spec")});
  }
  return overrides;
}

std::span<const Node* const> runtime_patches(const TrainJob& job) {
  return items_at(*job.encoded, {"spec", kRuntimePatches});
}

std::span<const Node* const> patched_jobs(const Node& runtime_patch) {
  return items_at(runtime_patch, {"trainingRuntimeSpec", "template", "spec", "replicatedJobs"});
}

}  // namespace trainjobc::model
