// SPDX-License-Identifier: Apache-2.0

#include "compile/advice/pod_patches.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/overrides.h"
#include "yaml/fields.h"

namespace trainjobc::compile::advice {
namespace {

using yaml::Node;

constexpr std::string_view kTemplate = "trainingRuntimeSpec.template";

void add_runtime_patch(const Node& patch, const std::string& field, std::vector<PodPatch>& out) {
  const Node* spec = patch.at({"trainingRuntimeSpec", "template", "spec"});
  const auto jobs = yaml::items_of(spec ? spec->get("replicatedJobs") : nullptr);
  for (size_t i = 0; i < jobs.size(); ++i) {
    const std::string job = fmt::format("{}.{}.spec.replicatedJobs[{}]", field, kTemplate, i);
    const Node* name = jobs[i]->get("name");
    if (!name) continue;
    out.push_back({name, job + ".name", jobs[i]->at({"template", "spec", "template", "spec"}),
                   job + ".template.spec.template.spec"});
  }
}

void add_override(const model::PodOverride& change, const std::string& field, std::vector<PodPatch>& out) {
  const bool is_pod_spec = change.spec == change.node;
  for (size_t i = 0; i < change.target_jobs.size(); ++i) {
    out.push_back({change.target_jobs[i].node, fmt::format("{}.targetJobs[{}].name", field, i), change.spec,
                   is_pod_spec ? field : field + ".spec"});
  }
}

// spec.podSpecOverrides[0]; a job has overrides of only one kind.
std::string override_field(const model::PodOverride& change, size_t index) {
  return fmt::format("spec.{}[{}]", change.field, index);
}

struct MergedList {
  std::string_view list;
  std::string_view key;
};
constexpr std::array kMergedLists = std::to_array<MergedList>({{"replicatedJobs", "name"},
                                                               {"containers", "name"},
                                                               {"initContainers", "name"},
                                                               {"env", "name"},
                                                               {"volumes", "name"},
                                                               {"volumeMounts", "mountPath"},
                                                               {"imagePullSecrets", "name"},
                                                               {"schedulingGates", "name"}});

}  // namespace

std::vector<PodPatch> pod_patches(const model::TrainJob& job) {
  std::vector<PodPatch> patches;
  const auto runtime_patches = model::runtime_patches(job);
  for (size_t i = 0; i < runtime_patches.size(); ++i) {
    add_runtime_patch(*runtime_patches[i], fmt::format("spec.runtimePatches[{}]", i), patches);
  }
  const std::vector<model::PodOverride> overrides = model::decode_pod_overrides(job);
  for (size_t i = 0; i < overrides.size(); ++i) {
    add_override(overrides[i], override_field(overrides[i], i), patches);
  }
  return patches;
}

std::vector<PatchTree> written_patches(const Node& source) {
  std::vector<PatchTree> trees;
  const auto patches = items_at(source, {"spec", "runtimePatches"});
  for (size_t i = 0; i < patches.size(); ++i) {
    const Node* root = patches[i]->at({"trainingRuntimeSpec", "template"});
    const Node* manager = patches[i]->get("manager");
    if (!root || !manager) continue;
    trees.push_back({fmt::format("manager \"{}\"", manager->text()), "",
                     fmt::format("spec.runtimePatches[{}].{}", i, kTemplate), root});
  }
  return trees;
}

std::vector<PatchTree> patch_trees(const model::TrainJob& job) {
  std::vector<PatchTree> trees = written_patches(*job.encoded);
  const std::vector<model::PodOverride> overrides = model::decode_pod_overrides(job);
  for (size_t i = 0; i < overrides.size(); ++i) {
    for (const model::LocatedText& target : overrides[i].target_jobs) {
      trees.push_back({fmt::format("override {}", i + 1), fmt::format("[{}].", target.value),
                       override_field(overrides[i], i), overrides[i].node});
    }
  }
  return trees;
}

std::string_view merge_key_of(std::string_view list) {
  const auto at = std::ranges::find(kMergedLists, list, &MergedList::list);
  return at != kMergedLists.end() ? at->key : std::string_view();
}

const Node* find_element(const Node* list, std::string_view merge_key, const Node& element) {
  const Node* key = element.get(merge_key);
  if (!list || !key) return nullptr;
  for (const Node* item : list->items()) {
    const Node* own = item->get(merge_key);
    if (own && yaml::equal(*own, *key)) return item;
  }
  return nullptr;
}

}  // namespace trainjobc::compile::advice
