// SPDX-License-Identifier: Apache-2.0

#include "model/overrides.h"

#include "yaml/fields.h"

namespace trainjobc::model {
namespace {

using yaml::Node;

std::vector<LocatedText> target_jobs(const Node& override) {
  std::vector<LocatedText> names;
  for (const Node* target : items_at(override, "targetJobs")) {
    if (const auto name = decode_text(target->get("name"))) names.push_back(*name);
  }
  return names;
}

}  // namespace

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
