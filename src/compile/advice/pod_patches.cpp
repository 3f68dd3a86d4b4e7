#include "compile/advice/pod_patches.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace trainjobc::compile::advice {
namespace {

using yaml::Node;

std::span<const Node* const> items_at(const Node* map, std::string_view key) {
  const Node* list = map ? map->get(key) : nullptr;
  return list ? list->items() : std::span<const Node* const>();
}

constexpr std::string_view kTemplate = "trainingRuntimeSpec.template";

void add_runtime_patch(const Node& patch, const std::string& field, std::vector<PodPatch>& out) {
  const Node* spec = patch.at({"trainingRuntimeSpec", "template", "spec"});
  const auto jobs = items_at(spec, "replicatedJobs");
  for (size_t i = 0; i < jobs.size(); ++i) {
    const std::string job = fmt::format("{}.{}.spec.replicatedJobs[{}]", field, kTemplate, i);
    const Node* name = jobs[i]->get("name");
    if (!name) continue;
    out.push_back({name, job + ".name", jobs[i]->at({"template", "spec", "template", "spec"}),
                   job + ".template.spec.template.spec"});
  }
}

// spec.podTemplateOverrides of Trainer 2.1 and spec.podSpecOverrides of 2.0.
void add_override(const Node& change, const std::string& field, bool is_pod_spec,
                  std::vector<PodPatch>& out) {
  const auto targets = items_at(&change, "targetJobs");
  for (size_t i = 0; i < targets.size(); ++i) {
    const Node* name = targets[i]->get("name");
    if (!name) continue;
    out.push_back({name, fmt::format("{}.targetJobs[{}].name", field, i),
                   is_pod_spec ? &change : change.get("spec"), is_pod_spec ? field : field + ".spec"});
  }
}

struct OverrideField {
  std::string_view key;
  bool is_pod_spec;
};
constexpr std::array kOverrides =
    std::to_array<OverrideField>({{"podTemplateOverrides", false}, {"podSpecOverrides", true}});

void add_override_trees(const Node& change, const std::string& field, size_t index,
                        std::vector<PatchTree>& out) {
  for (const Node* target : items_at(&change, "targetJobs")) {
    const Node* name = target->get("name");
    if (name)
      out.push_back(
          {fmt::format("override {}", index + 1), fmt::format("[{}].", name->text()), field, &change});
  }
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
  const Node* spec = job.root->get("spec");
  const auto runtime_patches = items_at(spec, "runtimePatches");
  for (size_t i = 0; i < runtime_patches.size(); ++i) {
    add_runtime_patch(*runtime_patches[i], fmt::format("spec.runtimePatches[{}]", i), patches);
  }
  for (const OverrideField& style : kOverrides) {
    const auto changes = items_at(spec, style.key);
    for (size_t i = 0; i < changes.size(); ++i) {
      add_override(*changes[i], fmt::format("spec.{}[{}]", style.key, i), style.is_pod_spec, patches);
    }
  }
  return patches;
}

std::vector<PatchTree> written_patches(const Node& source) {
  std::vector<PatchTree> trees;
  const auto patches = items_at(source.get("spec"), "runtimePatches");
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
  std::vector<PatchTree> trees = written_patches(*job.root);
  for (const OverrideField& style : kOverrides) {
    const auto changes = items_at(job.root->get("spec"), style.key);
    for (size_t i = 0; i < changes.size(); ++i) {
      add_override_trees(*changes[i], fmt::format("spec.{}[{}]", style.key, i), i, trees);
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
