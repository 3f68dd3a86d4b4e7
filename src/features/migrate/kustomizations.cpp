// SPDX-License-Identifier: Apache-2.0

#include "features/migrate/kustomizations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "features/migrate/left_jobs.h"
#include "inputs/kustomize/checks.h"
#include "inputs/kustomize/patching.h"
#include "model/train_job.h"
#include "model/trainer_names.h"
#include "yaml/write/writer.h"

namespace trainjobc::migrate {
namespace {

using v1::NodeList;
using yaml::Entry;
using yaml::Maker;
using yaml::Node;

constexpr std::string_view kNewFile = "trainer-kustomize.yaml";
// kustomize itself finds the images of containers in a runtime's template, as in v1 jobs.
constexpr std::string_view kNewText =
    R"(# Where TrainJobs name images and runtimes: kustomize does not know them.
images:
- {kind: TrainJob, path: spec/trainer/image}
nameReference:
- group: trainer.kubeflow.org
  kind: TrainingRuntime
  fieldSpecs:
  - {kind: TrainJob, path: spec/runtimeRef/name}
- group: trainer.kubeflow.org
  kind: ClusterTrainingRuntime
  fieldSpecs:
  - {kind: TrainJob, path: spec/runtimeRef/name}
)";

constexpr std::string_view kBuildHint =
    "write a patch of the TrainJob or its runtime, or migrate what is built: kustomize build DIR | trainjobc "
    "migrate -";

constexpr std::string_view kIdle = "this patch changes nothing of the TrainJob";
constexpr std::string_view kIdleHint = "remove it";

JobPlace job_place(const Node& job) {
  const base::Location at = yaml::locate(job);
  return {at.file ? base::absolute_path(at.file->name()) : "", at.line};
}

// The target with Trainer's group, version and kind in place of v1's, where these are given.
const Node* with_trainer_kind(const Node& target, const Maker& make) {
  if (!v1::names_v1(target)) return &target;
  const Node* changed =
      make.with(&target, "kind", make.string(model::kTrainJob, target.get("kind")->origin()));
  if (target.get("group")) changed = make.with(changed, "group", make.string(model::kTrainerGroup));
  if (target.get("version")) changed = make.with(changed, "version", make.string("v1alpha1"));
  return changed;
}

const Node* text_node(const Node& value, const Maker& make, const yaml::Origin& origin) {
  std::string text;
  yaml::write_yaml(value, yaml::KeyOrder::AsIs, text);
  return make.copied(text, origin);
}

const Node* spec_of(const Node* object) {
  return object ? object->get("spec") : nullptr;
}

bool is_of_trainer(const kustomize::Resource& resource) {
  return resource.kind == model::kTrainJob || model::is_runtime_kind(resource.kind);
}

// The place of a patch of the object, or of its v1 job.
const Node* patch_document(const Node& old, const Node* merged, const Maker& make) {
  const Node* metadata = nullptr;
  for (const std::string_view key : {"name", "namespace"}) {
    const Node* value = old.at({"metadata", key});
    if (value) metadata = make.with(metadata, key, value);
  }
  if (const Node* more = merged ? merged->get("metadata") : nullptr) {
    for (const Entry& entry : more->entries()) metadata = make.with(metadata, entry.key, entry.value);
  }
  const bool is_of_v1 = v1::is_v1(old);
  return make.map({{"apiVersion", make.string(model::kTrainerApiVersion)},
                   {"kind", is_of_v1 ? make.string(model::kTrainJob) : old.get("kind")},
                   {"metadata", metadata},
                   {"spec", spec_of(merged)}},
                  old.origin());
}

// The parts of a TrainJob that a patch may change. If both jobs use one runtime, its name is left out.
const Node* patched_part(const Node& train_job, bool keeps_runtime, const Maker& make) {
  const Node* part = make.with_path(&train_job, {"metadata", "name"}, nullptr);
  return keeps_runtime ? make.with_path(part, {"spec", "runtimeRef"}, nullptr) : part;
}

}  // namespace

Kustomizations::Kustomizations(Trees trees) : trees_(trees) {
  for (const auto& tree : trees) {
    if (tree->root()) files_.insert(base::absolute_path(tree->root()->path));
    for (const kustomize::Resource& resource : tree->resources()) {
      if (v1::is_v1(*resource.root)) jobs_.insert(job_place(*resource.root));
    }
  }
}

Kustomizations::Place Kustomizations::place_of(const Node& node) {
  const base::Location at = yaml::locate(node);
  return {at.file ? base::absolute_path(at.file->name()) : "", at.line, at.column};
}

bool Kustomizations::knows(const base::SourceFile& file) const {
  return files_.contains(base::absolute_path(file.name()));
}

void Kustomizations::translate(V1Jobs& jobs, std::span<const base::SourceFile* const> files,
                               const ToVersion& to_version) {
  arena_ = std::make_unique<base::Arena>();
  converter_ = &jobs;
  patches_.clear();
  states_.clear();
  users_.clear();
  needed_.clear();
  new_files_.clear();
  configurations_.clear();
  FilesByPath by_path;
  for (const base::SourceFile* file : files) by_path.emplace(base::absolute_path(file->name()), file);
  const auto read = [&](const kustomize::Kustomization& layer) {
    if (!layer.root->get("configurations")) return;
    const auto [known, is_new] = configurations_.try_emplace(base::absolute_path(layer.path));
    if (is_new) known->second = read_configurations(layer, by_path);
  };
  for (const auto& tree : trees_) {
    if (tree->root()) read(*tree->root());
    for (const kustomize::Resource& resource : tree->resources()) {
      for (const kustomize::Kustomization* layer : resource.layers) read(*layer);
    }
  }
  for (const JobPlace& place : jobs_) {
    if (const auto runtime = jobs.runtime_at(place)) ++users_[*runtime];
  }
  for (const auto& tree : trees_) {
    for (const kustomize::Resource& resource : tree->resources()) {
      if (v1::is_v1(*resource.root)) {
        follow(resource, jobs);
      } else if (is_of_trainer(resource) && !resource.patches.empty()) {
        follow_trainer(resource, to_version, by_path.contains(std::get<0>(place_of(*resource.root))));
      }
    }
  }
}

// Leaves patches that mean the same for the new object unchanged.
void Kustomizations::follow_trainer(const kustomize::Resource& resource, const ToVersion& to_version,
                                    bool is_input) {
  const Maker make(*arena_);
  base::Diagnostics problems;
  State state{&resource, resource.root, {}, ""};
  state.preview.train_job = to_version(*resource.root, make, problems);
  if (!state.preview.train_job) return;  // it stays as it is, and so do its patches
  for (const kustomize::Patch& patch : resource.patches) {
    State next{&resource, kustomize::apply_patch(*state.job, *patch.body, make), {}, ""};
    if (!next.job) return;
    next.preview.train_job = to_version(*next.job, make, problems);
    if (!next.preview.train_job) {
      const base::Diagnostic& why = problems.items().front();
      fail(patch, fmt::format("the patched {} can't be converted: {}", resource.kind, why.message), why.hint);
      return;
    }
    const Node* as_it_is = kustomize::apply_patch(*state.preview.train_job, *patch.body, make);
    if (as_it_is && yaml::equal(*as_it_is, *next.preview.train_job)) {
      state = std::move(next);
      continue;
    }
    if (!is_input) {
      fail(patch, fmt::format("the {} that this patches stays as it is", resource.kind),
           fmt::format("migrate the {} with it", resource.kind));
      return;
    }
    add(patch, state, next);
    state = std::move(next);
  }
}

void Kustomizations::follow(const kustomize::Resource& resource, V1Jobs& jobs) {
  const Maker make(*arena_);
  const JobPlace place = job_place(*resource.root);
  const auto runtime = jobs.runtime_at(place);
  if (!runtime) {
    const auto id = model::identify(*resource.root);
    if (!jobs.is_wanted(model::ObjectId{model::kTrainJob, id.ns, id.name}.str())) return;
    for (const kustomize::Patch& patch : resource.patches)
      fail(patch, "the job that this patches stays as it is", "migrate the job with it");
    return;
  }
  State state{&resource, resource.root, jobs.preview(*resource.root, place, make), *runtime};
  for (const kustomize::Patch& patch : resource.patches) {
    const Node* patched = kustomize::apply_patch(*state.job, *patch.body, make);
    if (!patched) {
      fail(patch, "what this patch does to the job is not known", std::string(kBuildHint));
      return;
    }
    State next{&resource, patched, jobs.preview(*patched, place, make), *runtime};
    if (const base::Diagnostic* refusal = v1::refusal_in(next.preview.findings)) {
      fail(patch, fmt::format("the patched job can't be converted: {}", refusal->message), refusal->hint);
      return;
    }
    if (!next.preview.train_job) {
      fail(patch, "the patched object is not a v1 job", std::string(kBuildHint));
      return;
    }
    add(patch, state, next);
    if (!state.preview.runtime && next.preview.runtime)
      next.runtime = yaml::string_at(*next.preview.runtime, {"metadata", "name"});
    state = std::move(next);
  }
  collect_needed(state);
  for (const kustomize::Kustomization* layer : resource.layers)
    states_[base::absolute_path(layer->path)].push_back(state);
}

void Kustomizations::fail(const kustomize::Patch& patch, std::string problem, std::string hint) {
  Translation& translation = patches_[place_of(*patch.body)];
  translation.body = patch.body;
  translation.problem = std::move(problem);
  translation.hint = std::move(hint);
}

void Kustomizations::add(const kustomize::Patch& patch, const State& before, const State& after) {
  const Maker make(*arena_);
  const Node* old_runtime = spec_of(before.preview.runtime);
  const Node* new_runtime = spec_of(after.preview.runtime);
  Translation made{.body = patch.body};
  const bool both_have_own = old_runtime && new_runtime;
  const Node* old_job = patched_part(*before.preview.train_job, both_have_own, make);
  const Node* new_job = patched_part(*after.preview.train_job, both_have_own, make);
  made.merged = kustomize::merge_patch(*old_job, *new_job, make);
  made.operations = kustomize::operations(*old_job, *new_job, "", make);
  if (!old_runtime && new_runtime) made.added = after.preview.runtime;
  if (both_have_own) made.of_runtime = kustomize::operations(*old_runtime, *new_runtime, "/spec", make);
  made.runtime = before.runtime;
  for (const base::Diagnostic& finding : after.preview.findings) {
    const auto is_it = [&](const base::Diagnostic& one) { return one.message == finding.message; };
    if (std::ranges::none_of(before.preview.findings, is_it)) made.findings.push_back(finding);
  }
  if (!made.of_runtime.empty() && users_[made.runtime] > 1) {
    fail(patch, fmt::format("other jobs use the runtime {}, which this patch would change", made.runtime),
         std::string(kBuildHint));
    return;
  }
  const auto [known, is_new] = patches_.try_emplace(place_of(*patch.body), made);
  const auto same = [](const NodeList& a, const NodeList& b) {
    return std::ranges::equal(a, b, [](const Node* x, const Node* y) { return yaml::equal(*x, *y); });
  };
  if (is_new || !known->second.problem.empty()) return;
  if (!same(known->second.operations, made.operations) || !same(known->second.of_runtime, made.of_runtime) ||
      (!made.of_runtime.empty() && known->second.runtime != made.runtime))
    fail(patch, "this patch does something else to the TrainJob of each job",
         "write a patch for each of them");
}

void Kustomizations::collect_needed(const State& state) {
  const Node* image = state.preview.train_job->at({"spec", "trainer", "image"});
  for (const kustomize::Kustomization* layer : state.resource->layers) {
    const auto changes_image = [&](const Node* entry) {
      return image && kustomize::repository_of(image->text()) == yaml::text_at(*entry, "name");
    };
    const auto configuration = configurations_.find(base::absolute_path(layer->path));
    if (configuration != configurations_.end() && configuration->second.names_jobs)
      needed_.insert(configuration->first);
    const bool has_names = layer->root->get("namePrefix") || layer->root->get("nameSuffix");
    if (std::ranges::any_of(yaml::items_at(*layer->root, "images"), changes_image) ||
        (has_names && state.preview.runtime))
      needed_.insert(base::absolute_path(layer->path));
  }
}

std::vector<const Kustomizations::Translation*> Kustomizations::patches_in(const std::string& file) const {
  std::vector<const Translation*> all;
  for (const auto& [place, translation] : patches_) {
    if (std::get<0>(place) == file) all.push_back(&translation);
  }
  return all;
}

Changed Kustomizations::convert_patch(const Node& document, const Translation& translation, const Maker& make,
                                      base::Diagnostics& problems) const {
  for (const base::Diagnostic& finding : translation.findings) problems.add(finding);
  std::string problem = translation.problem;
  std::string hint = translation.hint;
  if (problem.empty() && document.is_list() && translation.operations.empty()) {
    const bool is_idle = translation.of_runtime.empty();
    problem = is_idle ? std::string(kIdle) : "this patch is about the runtime now";
    hint = is_idle ? std::string(kIdleHint)
                   : fmt::format("write a patch of TrainingRuntime {}", translation.runtime);
  }
  if (!problem.empty()) {
    problems.add(left_in_kustomization(std::move(problem), std::move(hint), document));
    return {{&document}};
  }
  if (document.is_list()) return {{make.list(translation.operations, document.origin())}, true, {}, true};
  return {{patch_document(document, translation.merged, make)}, true, {}, true};
}

// Rewrites the patches and replacements of one kustomization so that they apply to TrainJobs.
class KustomizationRewriter {
 public:
  KustomizationRewriter(const Kustomizations& all, std::string file, const Maker& make,
                        base::Diagnostics& problems)
      : all_(all), file_(std::move(file)), make_(make), problems_(problems) {}

  const Node* run(const Node& root) {
    const Node* changed = &root;
    for (const std::string_view key : {"patchesStrategicMerge", "patches", "patchesJson6902"}) {
      if (const Node* list = root.get(key); list && list->is_list())
        changed = with_list(changed, root, key, patches_of(*list));
    }
    if (const Node* list = root.get("replacements"); list && list->is_list())
      changed = with_list(changed, root, "replacements", replacements_of(*list));
    if (const Node* list = root.get("replicas"); list && list->is_list())
      changed = with_list(changed, root, "replicas", replicas_of(*list));
    if (!of_runtimes_.empty()) {
      NodeList patches = yaml::copied_items(changed->get("patches"));
      patches.insert(patches.end(), of_runtimes_.begin(), of_runtimes_.end());
      changed = with_list(changed, root, "patches", patches);
    }
    if (!added_.empty()) {
      NodeList resources = yaml::copied_items(root.get("resources"));
      for (const Source& runtime : added_) resources.push_back(make_.copied(runtime.name));
      changed = with_list(changed, root, "resources", resources);
    }
    return with_configuration(changed, root);
  }

  // New files that the kustomization names, by the names that it gives them.
  const std::vector<Source>& added() const { return added_; }

  // The parts of the kustomization that have been handled.
  const std::set<const Node*>& seen() const { return seen_; }

 private:
  // `changed` with these items in place of the list that `root` may have.
  const Node* with_list(const Node* changed, const Node& root, std::string_view key,
                        const NodeList& items) const {
    const Node* list = make_.with_items(root.get(key), items);
    return list == root.get(key) ? changed : make_.with(changed, key, list);
  }

  NodeList patches_of(const Node& list) {
    NodeList items;
    for (const Node* item : list.items()) {
      const Node* body = item->is_map() ? item->get("path") : item;
      if (item->is_map() && !body) body = item->get("patch");
      items.push_back(body && body->is_string() ? patch_of(*item, *body) : item);
    }
    return items;
  }

  const Node* patch_of(const Node& item, const Node& body) {
    const auto in_place = all_.patches_.find(Kustomizations::place_of(body));
    if (in_place != all_.patches_.end()) return inline_patch(item, body, in_place->second);
    const std::string path = base::absolute_path(base::parent_of(file_) + "/" + std::string(body.text()));
    const auto in_file = all_.patches_in(path);
    if (in_file.empty()) return &item;
    seen_.insert(&item);
    for (const auto* translation : in_file) {
      if (!translation->problem.empty()) return &item;
      add_runtime(*translation);
    }
    return with_target(&item);
  }

  const Node* with_target(const Node* item) const {
    const Node* target = item->get("target");
    return target && v1::names_v1(*target) ? make_.with(item, "target", with_trainer_kind(*target, make_))
                                           : item;
  }

  void add_runtime(const Kustomizations::Translation& translation) {
    if (!translation.of_runtime.empty()) of_runtimes_.push_back(runtime_patch(translation));
    if (!translation.added) return;
    Source& source = added_.emplace_back(
        Source{fmt::format("{}.yaml", yaml::string_at(*translation.added, {"metadata", "name"})), ""});
    yaml::write_yaml(*translation.added, yaml::KeyOrder::AsIs, source.text);
  }

  const Node* runtime_patch(const Kustomizations::Translation& translation) const {
    const Node* target = make_.map(
        {{"kind", make_.string(model::kTrainingRuntime)}, {"name", make_.copied(translation.runtime)}});
    const Node* text = text_node(*make_.list(translation.of_runtime), make_, {});
    return make_.map({{"target", target}, {"patch", text}});
  }

  const Node* inline_patch(const Node& item, const Node& body,
                           const Kustomizations::Translation& translation) {
    seen_.insert(&item);
    for (const base::Diagnostic& finding : translation.findings) problems_.add(finding);
    if (!translation.problem.empty()) {
      problems_.add(left_in_kustomization(translation.problem, translation.hint, body));
      return &item;
    }
    const bool is_document = translation.body->is_map();
    if (!is_document && translation.operations.empty() && !translation.of_runtime.empty())
      return runtime_patch(translation);
    if (!is_document && translation.operations.empty()) {
      problems_.add(left_in_kustomization(std::string(kIdle), std::string(kIdleHint), body));
      return &item;
    }
    add_runtime(translation);
    const Node* patch = is_document ? patch_document(*translation.body, translation.merged, make_)
                                    : make_.list(translation.operations);
    const Node* text = text_node(*patch, make_, body.origin());
    return item.is_map() ? make_.with(with_target(&item), "patch", text) : text;
  }

  // The jobs that a replacement's selector selects.
  std::vector<const Kustomizations::State*> selected(const Node* select) const {
    std::vector<const Kustomizations::State*> jobs;
    if (!select) return jobs;
    const std::string_view kind = yaml::text_at(*select, "kind");
    const std::string_view name = yaml::text_at(*select, "name");
    for (const Kustomizations::State& state : states()) {
      const bool is_name = name.empty() || base::contains(state.resource->names, name);
      if (is_name && (kind.empty() ? !name.empty() : kind == state.resource->kind)) jobs.push_back(&state);
    }
    return jobs;
  }

  // The paths of v1 fields in the TrainJob and in its runtime.
  struct Moved {
    std::vector<std::string> of_job;
    std::vector<std::string> of_runtime;
  };

  // The new paths of these fields, if they all get one value, as those of a replacement do; nullopt if that
  // value isn't found again unchanged.
  std::optional<Moved> moved(const Kustomizations::State& state,
                             const std::vector<std::string>& paths) const {
    const Node* job = state.job;
    const Node* mark = nullptr;
    for (const std::string& text : paths) {
      const auto path = kustomize::parse_field_path(text);
      const Node* there = path ? kustomize::find_field(*job, *path) : nullptr;
      if (!there || (!there->is_string() && !there->is_int())) return std::nullopt;
      const Node* own = there->is_int() ? make_.integer(kMark) : make_.string(kTextMark);
      if (mark && mark->kind() != own->kind()) return std::nullopt;
      mark = own;
      job = kustomize::with_field(*job, *path, mark, make_);
    }
    const V1Preview preview = all_.converter_->preview(*job, job_place(*state.resource->root), make_);
    if (!mark || !preview.train_job || !preview.runtime != !state.preview.runtime) return std::nullopt;
    Moved found{kustomize::field_paths_of(*preview.train_job, *mark), {}};
    if (preview.runtime) found.of_runtime = kustomize::field_paths_of(*preview.runtime, *mark);
    return found.of_job.empty() && found.of_runtime.empty() ? std::nullopt : std::optional(found);
  }

  static std::vector<std::string> texts_of(const Node* list) {
    std::vector<std::string> texts;
    for (const Node* item : yaml::items_of(list)) texts.emplace_back(item->text());
    return texts;
  }

  const Node* list_of(const std::vector<std::string>& texts, const yaml::Origin& origin) const {
    NodeList items;
    for (const std::string& text : texts) items.push_back(make_.copied(text));
    return make_.list(items, origin);
  }

  void refuse_replacement(const Node& item, const Node& where) {
    seen_.insert(&item);
    problems_.add(left_in_kustomization("what this replaces has no single place in the TrainJob",
                                        std::string(kBuildHint), where));
  }

  NodeList replacements_of(const Node& list) {
    NodeList items;
    for (const Node* item : list.items()) items.push_back(item->is_map() ? replacement_of(*item) : item);
    return items;
  }

  const Node* replacement_of(const Node& item) {
    const Node* changed = &item;
    if (const Node* source = item.get("source"); source && source->is_map()) {
      if (const auto jobs = selected(source); !jobs.empty()) {
        const Node* own = source_of(*source, *jobs.front());
        if (!own) {
          refuse_replacement(item, *source);
          return &item;
        }
        changed = make_.with(changed, "source", own);
      }
    }
    const Node* targets = item.get("targets");
    set_.clear();
    NodeList made;
    for (const Node* target : yaml::items_of(targets)) {
      const auto jobs = selected(target->get("select"));
      if (jobs.empty()) {
        made.push_back(target);
      } else if (!add_targets(*target, jobs, paths_of(*targets, jobs.front()), made)) {
        refuse_replacement(item, *target);
        return &item;
      }
    }
    if (const Node* list = make_.with_items(targets, made); targets && list != targets)
      changed = make_.with(changed, "targets", list);
    if (changed != &item) seen_.insert(&item);
    return changed;
  }

  // The paths of all fields of the job that the replacement sets.
  std::vector<std::string> paths_of(const Node& targets, const Kustomizations::State* job) const {
    std::vector<std::string> paths;
    for (const Node* target : targets.items()) {
      const auto jobs = selected(target->get("select"));
      if (!base::contains(jobs, job)) continue;
      std::ranges::copy(texts_of(target->get("fieldPaths")), std::back_inserter(paths));
    }
    return paths;
  }

  // Adds a target for the TrainJob and one for its runtime. The first target of a job gets all its fields.
  bool add_targets(const Node& target, const std::vector<const Kustomizations::State*>& jobs,
                   const std::vector<std::string>& paths, NodeList& made) {
    std::optional<Moved> fields;
    for (const Kustomizations::State* job : jobs) {
      const auto own = moved(*job, paths);
      if (!own || (fields && (fields->of_job != own->of_job || fields->of_runtime != own->of_runtime)) ||
          (!own->of_runtime.empty() && jobs.size() > 1))
        return false;
      fields = own;
    }
    if (!set_.insert(jobs.front()).second) return true;  // an earlier target sets them
    const Node& select = *target.get("select");
    if (!fields->of_job.empty()) {
      const Node* job = make_.with(&target, "select", with_trainer_kind(select, make_));
      made.push_back(
          make_.with(job, "fieldPaths", list_of(fields->of_job, target.get("fieldPaths")->origin())));
    }
    if (!fields->of_runtime.empty()) {
      const Node* runtime = make_.map(
          {{"kind", make_.string(model::kTrainingRuntime)}, {"name", make_.copied(jobs.front()->runtime)}});
      const Node* own = make_.with(&target, "select", runtime);
      made.push_back(make_.with(own, "fieldPaths", list_of(fields->of_runtime, {})));
    }
    return true;
  }

  const Node* source_of(const Node& source, const Kustomizations::State& job) const {
    const Node* changed = with_trainer_kind(source, make_);
    const std::string_view path = yaml::text_at(source, "fieldPath");
    if (path.empty() || path.starts_with("metadata.")) return changed;
    const auto fields = moved(job, {std::string(path)});
    if (!fields || fields->of_job.empty()) return nullptr;
    return make_.with(changed, "fieldPath", make_.copied(fields->of_job.front()));
  }

  // The items of `replicas`, with numbers of nodes in place of numbers of pods.
  NodeList replicas_of(const Node& list) {
    NodeList items;
    for (const Node* item : list.items()) {
      items.push_back(item);
      for (const Kustomizations::State& state : states()) {
        const bool is_it = base::contains(state.resource->names, yaml::text_at(*item, "name"));
        const std::string field = is_it ? field_of_replicas(state) : "";
        if (field.empty()) continue;
        if (const Node* nodes = nodes_of(state, field, *item)) {
          items.back() = make_.with(item, "count", nodes);
        } else {
          problems_.add(left_in_kustomization("no field of the TrainJob holds this number",
                                              std::string(kBuildHint), *item));
        }
      }
    }
    return items;
  }

  std::span<const Kustomizations::State> states() const {
    const auto states = all_.states_.find(file_);
    return states != all_.states_.end() ? std::span<const Kustomizations::State>(states->second)
                                        : std::span<const Kustomizations::State>();
  }

  // The field of the job that `replicas` sets; "" if the user has not configured one for its kind.
  std::string field_of_replicas(const Kustomizations::State& state) const {
    const auto known = all_.configurations_.find(file_);
    if (known == all_.configurations_.end()) return "";
    const auto field = std::ranges::find(known->second.replicas, state.resource->kind, &ReplicasField::kind);
    return field != known->second.replicas.end() ? field->path : "";
  }

  // numNodes of the job with that many pods; nullptr if anything else would differ, too.
  const Node* nodes_of(const Kustomizations::State& state, const std::string& field, const Node& item) const {
    const auto path = kustomize::parse_field_path(field);
    const Node* count = item.get("count");
    if (!path || !count || !count->is_int()) return nullptr;
    const Node* job = kustomize::with_field(*state.job, *path, count, make_);
    const V1Preview preview = all_.converter_->preview(*job, job_place(*state.resource->root), make_);
    const Node* nodes = preview.train_job ? preview.train_job->at({"spec", "trainer", "numNodes"}) : nullptr;
    if (!nodes || !preview.runtime != !state.preview.runtime) return nullptr;
    const Node* same = make_.with_path(state.preview.train_job, {"spec", "trainer", "numNodes"}, nodes);
    const bool is_exact = yaml::equal(*preview.train_job, *same) &&
                          (!preview.runtime || yaml::equal(*preview.runtime, *state.preview.runtime));
    return is_exact ? make_.with_origin(*nodes, count->origin()) : nullptr;
  }

  const Node* with_configuration(const Node* changed, const Node& root) const {
    if (!all_.needed_.contains(file_)) return changed;
    NodeList files = yaml::copied_items(root.get("configurations"));
    if (std::ranges::any_of(files, [](const Node* file) { return file->text() == kNewFile; })) return changed;
    files.push_back(make_.string(kNewFile));
    return with_list(changed, root, "configurations", files);
  }

  static constexpr int64_t kMark = 1234577;
  static constexpr std::string_view kTextMark = "mark.example/replaced";

  const Kustomizations& all_;
  std::string file_;
  const Maker& make_;
  base::Diagnostics& problems_;
  std::set<const Node*> seen_;
  std::set<const Kustomizations::State*> set_;
  NodeList of_runtimes_;
  std::vector<Source> added_;
};

std::optional<Changed> Kustomizations::convert(const Node& document, const Maker& make,
                                               base::Diagnostics& problems) {
  const base::Location at = yaml::locate(document);
  if (!at.file) return std::nullopt;
  const std::string file = base::absolute_path(at.file->name());
  if (const auto patch = patches_.find(place_of(document)); patch != patches_.end() && !files_.contains(file))
    return convert_patch(document, patch->second, make, problems);
  if (!files_.contains(file) || !document.is_map()) return std::nullopt;
  KustomizationRewriter rewriter(*this, file, make, problems);
  const Node* changed = rewriter.run(document);
  problems.append(find_left_jobs(document, rewriter.seen()));
  const auto configuration = configurations_.find(file);
  const bool has_own = configuration != configurations_.end() && configuration->second.names_jobs;
  if (has_own) {
    for (const base::Diagnostic& lost : configuration->second.lost.items()) problems.add(lost);
  }
  const auto add_file = [&](const std::string& name, std::string text) {
    new_files_.push_back({base::shortest_path(base::parent_of(file) + "/" + name), std::move(text)});
  };
  if (changed->get("configurations") != document.get("configurations"))
    add_file(std::string(kNewFile), has_own ? kustomize::configuration() : std::string(kNewText));
  for (const Source& runtime : rewriter.added()) add_file(runtime.name, runtime.text);
  return Changed{.objects = {changed}, .follows = true};
}

}  // namespace trainjobc::migrate
