// SPDX-License-Identifier: Apache-2.0

// What a TrainJob changes in its runtime's template: spec.runtimePatches, or the overrides of older versions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/text/suggest.h"
#include "base/text/text.h"
#include "compile/advice/checks.h"
#include "k8s/violations.h"
#include "model/train_job.h"
#include "policy/webhook_rules.h"

namespace trainjobc::compile::advice {
namespace {

using yaml::Node;

// A tree that is merged into another one.
struct PatchTree {
  std::string who;     // manager "example.com/me"
  std::string prefix;  // distinguishes targets; "" if the tree names its targets itself
  std::string field;   // the field of the root
  const Node* root = nullptr;
};

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

// Such as spec.podSpecOverrides[0]; a job has overrides of only one kind.
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

// The patches in spec.runtimePatches, from the TrainJob as it was written, or as Go encodes it.
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

// All patches of a job, in the order in which they are merged.
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

// The key by which the list's elements are merged; "" if a patch replaces the list as a whole.
std::string_view merge_key_of(std::string_view list) {
  const MergedList* merged = base::find(kMergedLists, list, &MergedList::list);
  return merged ? merged->key : "";
}

// The element of the list with the same merge key; nullptr if there is none, or `list` is not a list.
const Node* find_element(const Node* list, std::string_view merge_key, const Node& element) {
  const Node* key = element.get(merge_key);
  if (!list || !key) return nullptr;
  for (const Node* item : list->items()) {
    const Node* own = item->get(merge_key);
    if (own && yaml::equal(*own, *key)) return item;
  }
  return nullptr;
}

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

}  // namespace trainjobc::compile::advice

namespace trainjobc::compile::advice::patches {
namespace {

using yaml::Entry;
using yaml::Node;

// Patches for replicatedJobs and containers that the runtime doesn't have: merging adds them, without an
// image.

constexpr std::string_view kPatchTarget = "advice/patch-target";

std::vector<std::string_view> names_in(const Node* list) {
  std::vector<std::string_view> names;
  for (const Node* item : yaml::items_of(list)) {
    if (const Node* name = item->get("name")) names.push_back(name->text());
  }
  return names;
}

// Whether the name is the other one and a word more: node-sidecar and node.
bool adds_word(std::string_view name, std::string_view other) {
  return name.starts_with(fmt::format("{}-", other)) || name.ends_with(fmt::format("-{}", other));
}

// Suggests the name that the wrong one is a misspelling of, or the only one that exists, which may be
// unrelated. `taken` names have a patch of their own. Returns the name that the fix writes, if there is one.
std::optional<std::string_view> suggest_name(base::Diagnostic& found, const Node& wrong,
                                             const std::vector<std::string_view>& names,
                                             const std::vector<std::string_view>& taken) {
  const auto meant = base::closest(wrong.text(), names);
  if (!meant && (names.size() != 1 || adds_word(wrong.text(), names.front()))) {
    found.hint = names.empty() ? "it has none" : fmt::format("it has {}", fmt::join(names, ", "));
    return std::nullopt;
  }
  k8s::suggest(found, &wrong, meant.value_or(names.front()));
  if (meant && !base::contains(taken, *meant)) return meant;
  found.fix.clear();
  return std::nullopt;
}

struct ContainerList {
  std::string_view key;
  std::string_view what;
};
constexpr ContainerList kContainers{"containers", "container"};
constexpr ContainerList kInitContainers{"initContainers", "init container"};

void check_containers(const AdviceContext& context, const PodPatch& patch, const Node* runtime_pod,
                      const ContainerList& list, const ContainerList& other, Advisor& advisor) {
  const Node* patched = patch.pod_spec ? patch.pod_spec->get(list.key) : nullptr;
  if (!patched) return;
  const auto names = names_in(runtime_pod ? runtime_pod->get(list.key) : nullptr);
  const auto other_names = names_in(runtime_pod ? runtime_pod->get(other.key) : nullptr);
  for (size_t i = 0; i < patched->size(); ++i) {
    const Node* name = patched->items()[i]->get("name");
    if (!name || base::contains(names, name->text())) continue;
    base::Diagnostic& found = advisor.warn(
        kPatchTarget, fmt::format("{}.{}[{}].name", patch.pod_field, list.key, i),
        fmt::format(
            "the patch names {} \"{}\", which runtime \"{}\" does not have; a new one without an image "
            "would be added",
            list.what, name->text(), context.runtime.id.name),
        yaml::locate(*name));
    if (base::contains(other_names, name->text())) {
      found.hint = fmt::format("patch it under {}", other.key);
    } else {
      const auto meant = suggest_name(found, *name, names, names_in(patched));
      const bool sets_env = yaml::items_at(*patched->items()[i], "env").size() > 0;
      if (meant && sets_env && policy::is_env_reserved(*meant))
        found.fix.clear();  // the webhook would refuse it
    }
  }
}

void check_patch_targets(const AdviceContext& context, Advisor& advisor) {
  const Node* spec = context.runtime.job_set_spec;
  const Node* jobs = spec ? spec->get("replicatedJobs") : nullptr;
  const std::vector<PodPatch> patches = pod_patches(context.job);
  std::vector<std::string_view> patched;
  for (const PodPatch& patch : patches) patched.push_back(patch.job_name->text());
  for (const PodPatch& patch : patches) {
    const std::string_view job_name = patch.job_name->text();
    const auto names = names_in(jobs);
    if (!base::contains(names, job_name)) {
      base::Diagnostic& found = advisor.warn(
          kPatchTarget, patch.job_field,
          fmt::format(
              "the patch names replicatedJob \"{}\", which runtime \"{}\" does not have; a new one without "
              "an image would be added",
              job_name, context.runtime.id.name),
          yaml::locate(*patch.job_name));
      suggest_name(found, *patch.job_name, names, patched);
      continue;
    }
    const Node* job = yaml::find_named(jobs->items(), job_name);
    const Node* runtime_pod = job->at({"template", "spec", "template", "spec"});
    check_containers(context, patch, runtime_pod, kContainers, kInitContainers, advisor);
    check_containers(context, patch, runtime_pod, kInitContainers, kContainers, advisor);
  }
}

// Patch values without effect: a later manager replaces them, or merging ignores them.

constexpr std::string_view kDirective = "$patch";

std::string child(const std::string& path, std::string_view key) {
  const bool plain = key.find_first_of("./") == std::string_view::npos;
  if (!plain) return fmt::format("{}[{}]", path, key);
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

// A value that merging replaces as a whole.
struct Leaf {
  std::string path;   // has the elements' merge keys: …containers[node].env[A].value
  std::string field;  // has the elements' indices
  std::string_view name;
  base::Location where;  // the place of its key
  const Node* value = nullptr;
};

struct Leaves {
  std::vector<Leaf> leaves;
  std::vector<std::string> replaced;  // maps with a $patch directive, which drops earlier patches' values
};

void collect(const Node& node, const std::string& path, const std::string& field, Leaves& out);

void collect_list(const Entry& entry, const std::string& path, const std::string& field, Leaves& out) {
  const std::string_view merge_key = merge_key_of(entry.key);
  for (size_t i = 0; i < entry.value->size(); ++i) {
    const Node& item = *entry.value->items()[i];
    const Node* key = item.get(merge_key);
    if (key) collect(item, fmt::format("{}[{}]", path, key->text()), fmt::format("{}[{}]", field, i), out);
  }
}

void collect(const Node& node, const std::string& path, const std::string& field, Leaves& out) {
  if (node.get(kDirective)) out.replaced.push_back(path);
  for (const Entry& entry : node.entries()) {
    if (entry.key == kDirective || entry.key == "targetJobs" || entry.key == "finalizers") continue;
    const std::string child_path = child(path, entry.key);
    const std::string child_field = child(field, entry.key);
    if (entry.value->is_map()) {
      collect(*entry.value, child_path, child_field, out);
    } else if (entry.value->is_list() && !merge_key_of(entry.key).empty()) {
      collect_list(entry, child_path, child_field, out);
    } else {
      out.leaves.push_back({child_path, child_field, entry.key, yaml::locate_key(entry), entry.value});
    }
  }
}

bool is_below(std::string_view path, std::string_view map) {
  return path.size() > map.size() && path.starts_with(map) &&
         (path[map.size()] == '.' || path[map.size()] == '[');
}

const Leaf* find_leaf(const Leaves& leaves, std::string_view path) {
  return base::find(leaves.leaves, path, &Leaf::path);
}

// The effect of all patches of a job.
class PatchList {
 public:
  explicit PatchList(std::vector<PatchTree> trees) : trees_(std::move(trees)), patches_(trees_.size()) {
    if (trees_.size() < 2) return;  // there is no later one
    for (size_t i = 0; i < trees_.size(); ++i)
      collect(*trees_[i].root, trees_[i].prefix, trees_[i].field, patches_[i]);
  }

  void report_losses(Advisor& advisor) const {
    for (size_t i = 0; i < trees_.size(); ++i) {
      const bool is_first_target = first_with(trees_[i].field) == i;
      for (const Leaf& leaf : patches_[i].leaves) {
        if (is_first_target && is_lost_everywhere(i, leaf))
          report(trees_[i], leaf, *loss_of(i, leaf), advisor);
      }
    }
  }

 private:
  // The last patch that sets a leaf's path, with the leaf that sets it; nullptr if the patch clears the map.
  struct Winner {
    size_t patch = 0;
    const Leaf* leaf = nullptr;
  };

  size_t first_with(const std::string& field) const {
    return static_cast<size_t>(std::ranges::find(trees_, field, &PatchTree::field) - trees_.begin());
  }

  // The patch that wins over the value; nullopt if the value has an effect.
  std::optional<Winner> loss_of(size_t patch, const Leaf& leaf) const {
    Winner winner{patch, &leaf};
    for (size_t i = patch + 1; i < patches_.size(); ++i) {
      const Leaf* own = find_leaf(patches_[i], leaf.path);
      const bool clears = std::ranges::any_of(
          patches_[i].replaced, [&](const std::string& map) { return is_below(leaf.path, map); });
      if (own || clears) winner = {i, own};
    }
    if (winner.leaf && yaml::equal(*winner.leaf->value, *leaf.value)) return std::nullopt;
    return winner;
  }

  // An override of Trainer 2.1 is merged into each of its target jobs, so it may have an effect in only one.
  bool is_lost_everywhere(size_t patch, const Leaf& leaf) const {
    for (size_t i = patch; i < trees_.size(); ++i) {
      if (trees_[i].field != trees_[patch].field) continue;
      const Leaf* same = base::find(patches_[i].leaves, leaf.field, &Leaf::field);
      if (same && !loss_of(i, *same)) return false;
    }
    return true;
  }

  void report(const PatchTree& tree, const Leaf& leaf, const Winner& winner, Advisor& advisor) const {
    base::Diagnostic& found =
        advisor.warn("advice/patch-overridden", leaf.field,
                     fmt::format("{} of {} has no effect: {} comes later and {} it", leaf.name, tree.who,
                                 trees_[winner.patch].who, winner.leaf ? "replaces" : "removes"),
                     leaf.where, "keep one of the two");
    if (winner.leaf && winner.leaf->where.file)
      found.notes.push_back({"the one that applies", winner.leaf->where});
  }

  std::vector<PatchTree> trees_;
  std::vector<Leaves> patches_;
};

std::string_view shown(const Node& empty) {
  if (empty.is_map()) return "{}";
  if (empty.is_list()) return "[]";
  return empty.is_string() ? "\"\"" : empty.text();
}

// Fields that nobody sets to an empty value in order to clear them.
bool is_structure(std::string_view key) {
  return key == "template" || key == "spec" || key == "metadata";
}

// Maps of strings: the patch API accepts $patch as one of their keys.
bool takes_directive(std::string_view key) {
  return key == "labels" || key == "annotations" || key == "nodeSelector";
}

// Finds the parts of a patch that merging drops.
class IneffectiveValues {
 public:
  explicit IneffectiveValues(Advisor& advisor) : advisor_(advisor) {}

  // `typed` is the part of `written` that the API keeps, `runtime` the target of the merge. Both may be
  // nullptr.
  void check_map(const Node& written, const Node* typed, const Node* runtime, const std::string& field) {
    for (const Entry& entry : written.entries()) {
      const Node* below = runtime ? runtime->get(entry.key) : nullptr;
      if (!below && !entry.value->get(kDirective)) continue;
      const Node* kept = typed ? typed->get(entry.key) : nullptr;
      check_value(entry, kept, below, child(field, entry.key));
    }
  }

 private:
  void check_value(const Entry& entry, const Node* kept, const Node* below, const std::string& field) {
    const Node& value = *entry.value;
    const Node* directive = value.get(kDirective);
    // The JobSet's own labels and annotations are merged into the runtime's without interpreting directives.
    const bool is_merged = field.find("replicatedJobs") != std::string::npos;
    if (directive && !below && is_merged) {
      report(entry, field,
             fmt::format("{0} is removed as a whole: the runtime has no {0} that $patch: {1} could apply to",
                         entry.key, directive->text()),
             "remove the line with $patch");
      return;
    }
    if (!below || below->is_empty_value()) return;
    const bool is_filled = (value.is_map() || value.is_list()) && value.size() > 0;
    if (value.is_map() && is_filled) {
      check_map(value, kept, below, field);
    } else if (value.is_list() && is_filled) {
      check_list(entry, kept, *below, field);
    } else if ((!kept || !value.is_scalar()) && !is_structure(entry.key)) {
      report(entry, field,
             fmt::format("{}: {} has no effect: an empty value in a patch clears nothing", entry.key,
                         shown(value)),
             is_merged && takes_directive(entry.key) ? "{$patch: replace} clears it"
                                                     : "the runtime's value stays; change it there");
    }
  }

  void check_list(const Entry& entry, const Node* kept, const Node& below, const std::string& field) {
    const std::string_view key = merge_key_of(entry.key);
    for (size_t i = 0; i < entry.value->size(); ++i) {
      const Node& item = *entry.value->items()[i];
      const Node* runtime_item = find_element(&below, key, item);
      if (item.is_map() && runtime_item) {
        check_map(item, find_element(kept, key, item), runtime_item, fmt::format("{}[{}]", field, i));
      }
    }
  }

  void report(const Entry& entry, const std::string& field, std::string message, std::string hint) {
    advisor_.warn("advice/patch-no-effect", field, std::move(message), yaml::locate_key(entry),
                  std::move(hint));
  }

  Advisor& advisor_;
};

void check_overridden_patches(const AdviceContext& context, Advisor& advisor) {
  PatchList(patch_trees(context.job)).report_losses(advisor);
}

void check_idle_patches(const AdviceContext& context, Advisor& advisor) {
  const std::vector<PatchTree> written = written_patches(context.source);
  const std::vector<PatchTree> typed = written_patches(*context.job.encoded);
  const Node* runtime = context.runtime.root->at({"spec", "template"});
  for (const PatchTree& tree : written) {
    const PatchTree* kept = base::find(typed, tree.field, &PatchTree::field);
    if (kept) IneffectiveValues(advisor).check_map(*tree.root, kept->root, runtime, tree.field);
  }
}

}  // namespace

Checks checks() {
  return {.job = {check_patch_targets, check_overridden_patches, check_idle_patches}};
}

}  // namespace trainjobc::compile::advice::patches
