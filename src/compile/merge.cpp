// SPDX-License-Identifier: Apache-2.0

#include "compile/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/text/text.h"
#include "model/trainer_names.h"
#include "policy/container.h"
#include "rules/rules.h"
#include "schema/strategic_merge.h"
#include "schema/typed.h"

namespace trainjobc::compile {
namespace {

using model::GangRequests;
using model::NodeResourcesStyle;
using model::OverrideStyle;
using policy::NodeResources;
using policy::PodSet;
using policy::RuntimeInfo;
using yaml::Maker;
using yaml::Node;

// What the functions share that merge a job's changes into the spec. There is one per generation of the API;
// it returns the spec, typed like the old one, or nullptr if a change can't be merged, which it reports.
struct OverrideMerge {
  const model::TrainJob& job;
  const schema::Schema& job_set_spec;
  const Maker& make;
  base::Diagnostics& diagnostics;
  policy::NodeList& steps;  // the spec after each of the changes
};

// A place in a map or in its schema, where lists are skipped.
using FieldPath = std::initializer_list<std::string_view>;

const schema::Schema& schema_at(const schema::Schema& top, FieldPath path) {
  const schema::Schema* schema = &top;
  for (const std::string_view key : path) {
    schema = schema->property(key)->schema;
    if (schema->type == schema::Type::Array) schema = schema->items;
  }
  return *schema;
}

void report_refusal(const OverrideMerge& merge, const schema::MergeError& error, std::string_view field) {
  base::Diagnostic diagnostic =
      rules::finding("input/patch", fmt::format("this patch can't be merged: {}", error.message),
                     "use $patch: replace or $patch: delete", yaml::locate(*error.culprit));
  diagnostic.object = merge.job.id.str();
  diagnostic.field = fmt::format("spec.{}", field);
  merge.diagnostics.add(std::move(diagnostic));
}

// Merges `change` strategically into `original`, then makes the round trip through the Go type of `schema`.
// `field` is the TrainJob's field to name in an error; then the result is nullptr.
const Node* merge_typed(const OverrideMerge& merge, const Node* original, const Node& change,
                        const schema::Schema& schema, std::string_view field) {
  const schema::MergeResult merged = schema::strategic_merge(original, change, schema, merge.make);
  if (const auto* error = std::get_if<schema::MergeError>(&merged)) {
    report_refusal(merge, *error, field);
    return nullptr;
  }
  return schema::as_typed(*std::get<const Node*>(merged), schema, merge.make);
}

// Does so for one part, at `path`, of every replicatedJob that `names` accepts.
const Node* merge_into_jobs(const OverrideMerge& merge, const Node& spec,
                            const std::function<bool(std::string_view)>& names, FieldPath path,
                            const Node& change, std::string_view field) {
  const Node* jobs = spec.get("replicatedJobs");
  if (!jobs) return &spec;
  const schema::Schema& schema = schema_at(schema_at(merge.job_set_spec, {"replicatedJobs"}), path);
  std::vector<const Node*> changed;
  for (const Node* job : jobs->items()) {
    const Node* name = job->get("name");
    if (name && names(name->text())) {
      const Node* part = merge_typed(merge, job->at(path), change, schema, field);
      if (!part) return nullptr;
      job = merge.make.with_path(job, path, part);
    }
    changed.push_back(job);
  }
  return merge.make.with(&spec, "replicatedJobs", merge.make.list(changed, jobs->origin()));
}

const Node* merge_override(const OverrideMerge& merge, const Node& spec, const model::PodOverride& override,
                           FieldPath path, const Node& change) {
  const auto is_target = [&](std::string_view name) {
    return base::contains(override.target_jobs, name, &model::LocatedText::value);
  };
  const Node* merged = merge_into_jobs(merge, spec, is_target, path, change, override.field);
  if (merged) merge.steps.push_back(merged);
  return merged;
}

// Trainer 2.0: spec.podSpecOverrides. An override is a part of a pod spec, with the names of its target jobs.

const Node* merge_pod_specs(const OverrideMerge& merge, const Node& spec) {
  const Node* merged = &spec;
  for (const model::PodOverride& override : model::decode_pod_overrides(merge.job)) {
    const Node* change = merge.make.with(override.spec, "targetJobs", nullptr);
    merged = merge_override(merge, *merged, override, {"template", "spec", "template", "spec"}, *change);
    if (!merged) return nullptr;
  }
  return merged;
}

// Trainer 2.1: spec.podTemplateOverrides. Only labels and annotations of an override's metadata count.

const Node* template_change(const model::PodOverride& override, const Maker& make) {
  const Node* metadata = override.metadata;
  if (metadata) {
    metadata = make.map({{"labels", metadata->get("labels")}, {"annotations", metadata->get("annotations")}},
                        metadata->origin());
  }
  return make.map({{"metadata", metadata}, {"spec", override.spec}}, override.node->origin());
}

const Node* merge_pod_templates(const OverrideMerge& merge, const Node& spec) {
  const Node* merged = &spec;
  for (const model::PodOverride& override : model::decode_pod_overrides(merge.job)) {
    const Node* change = template_change(override, merge.make);
    merged = merge_override(merge, *merged, override, {"template", "spec", "template"}, *change);
    if (!merged) return nullptr;
  }
  return merged;
}

// Trainer 2.2: spec.runtimePatches, one replicatedJob at a time. Patches for jobs that the runtime doesn't
// have are skipped here; the webhook refuses them.

const Node* merge_job_templates(const OverrideMerge& merge, const Node& spec) {
  const Node* merged = &spec;
  for (const Node* patch : model::runtime_patches(merge.job)) {
    for (const Node* job : model::patched_jobs(*patch)) {
      const auto target = model::decode_text(job->get("name"));
      const Node* change = job->get("template");
      if (!target || !change) continue;
      const auto is_target = [&](std::string_view name) { return name == target->value; };
      merged = merge_into_jobs(merge, *merged, is_target, {"template"}, *change, model::kRuntimePatches);
      if (!merged) return nullptr;
      merge.steps.push_back(merged);
    }
  }
  return merged;
}

// Trainer 2.3: spec.runtimePatches, each merged into the whole JobSet spec. A patch can add replicatedJobs.

// The position of each replicatedJob in the runtime, which patches don't change.
class JobOrder {
 public:
  explicit JobOrder(const Node& spec) {
    const Node* jobs = spec.get("replicatedJobs");
    if (!jobs) return;
    size_t position = 0;
    for (const Node* job : jobs->items()) {
      if (const Node* name = job->get("name")) positions_[name->text()] = position;
      ++position;
    }
  }

  const Node* restore(const Node& spec, const Maker& make) const {
    const Node* jobs = spec.get("replicatedJobs");
    if (!jobs) return &spec;
    std::vector<const Node*> sorted = yaml::copied_items(jobs);
    std::ranges::stable_sort(sorted, {}, [&](const Node* job) { return position(*job); });
    if (std::ranges::equal(sorted, jobs->items())) return &spec;
    return make.with(&spec, "replicatedJobs", make.list(sorted, jobs->origin()));
  }

 private:
  // The controller takes position 0 for a job that the runtime doesn't have.
  size_t position(const Node& job) const {
    const auto found = positions_.find(text_at(job, "name"));
    return found != positions_.end() ? found->second : 0;
  }

  std::map<std::string_view, size_t> positions_;
};

const Node* merge_job_sets(const OverrideMerge& merge, const Node& spec) {
  const JobOrder order(spec);
  const Node* merged = &spec;
  for (const Node* patch : model::runtime_patches(merge.job)) {
    if (const Node* change = patch->at({"trainingRuntimeSpec", "template", "spec"}))
      merged = merge_typed(merge, merged, *change, merge.job_set_spec, model::kRuntimePatches);
    if (!merged) return nullptr;
    merge.steps.push_back(merged);
  }
  return merged == &spec ? merged : order.restore(*merged, merge.make);
}

// Applies spec.trainer.resourcesPerNode to the containers that train.

// `base` with the entries of `above`, which replace those with the same key.
const Node* overlay(const Node& base, const Node& above, const Maker& make) {
  std::vector<yaml::Entry> entries(base.entries().begin(), base.entries().end());
  for (const yaml::Entry& entry : above.entries()) yaml::put(entries, entry);
  return make.map(entries, base.origin());
}

// Merges limits and requests resource by resource; drops claims.
const Node* merged_resources(const Node* base, const Node& of_job, const Maker& make) {
  std::vector<yaml::Entry> lists;
  for (const std::string_view key : {"limits", "requests"}) {
    const yaml::Entry* below = base ? base->find(key) : nullptr;
    const yaml::Entry* above = of_job.find(key);
    if (above && above->value->size() == 0) above = nullptr;
    if (!below && !above) continue;
    yaml::Entry list = above ? *above : *below;
    if (below && above) list.value = overlay(*below->value, *above->value, make);
    lists.push_back(list);
  }
  return make.map(lists, of_job.origin());
}

// The job's limits and requests; the runtime's if the job has neither.
const Node* replaced_resources(const Node* base, const Node& of_job, const Maker& make) {
  return of_job.get("limits") || of_job.get("requests") ? make.with(&of_job, "claims", nullptr) : base;
}

// The set's replicatedJob, with other resources in the container at `index`.
const Node* with_resources(const PodSet& set, size_t index, const Node* resources, const Maker& make) {
  const Node* containers = set.pod_spec()->get("containers");
  std::vector<const Node*> items = yaml::copied_items(containers);
  items[index] = make.with(items[index], "resources", resources);
  return make.with_path(set.replicated_job, {"template", "spec", "template", "spec", "containers"},
                        make.list(items, containers->origin()));
}

void apply(const RuntimeInfo& info, PodSet& set, const Node& of_job, const Maker& make) {
  const auto node = std::ranges::find(set.containers, model::kNode, &policy::Container::name);
  if (node == set.containers.end()) return;
  const auto index = static_cast<size_t>(node - set.containers.begin());
  const Node* base = node->node->get("resources");
  const bool merges = info.behaviours->node_resources == NodeResourcesStyle::MergePerKey;
  const Node* rendered =
      merges ? merged_resources(base, of_job, make) : replaced_resources(base, of_job, make);

  PodSet counted = set;
  const bool counts_job = info.policy && set.ancestor == model::kTrainer;
  if (info.behaviours->gang_requests == GangRequests::Job && counts_job) {
    counted.replicated_job = with_resources(set, index, &of_job, make);
  }
  if (info.behaviours->gang_requests != GangRequests::Rendered) set.gang_pod_spec = counted.pod_spec();

  set.replicated_job = with_resources(set, index, rendered, make);
  node->node = set.pod_spec()->get("containers")->items()[index];
}

}  // namespace

bool takes_node_resources(const RuntimeInfo& info, const PodSet& set) {
  const bool needs_policy = info.behaviours->node_resources == NodeResourcesStyle::MergePerKey;
  if (needs_policy && !info.policy) return false;
  return set.ancestor == model::kTrainer || policy::is_launched_node(info, set);
}

namespace {

// Sets the resources of the containers `node`, and the pod specs that a PodGroup counts, as the Trainer
// version does.
void apply_node_resources(RuntimeInfo& info, const Maker& make) {
  const auto& trainer = info.job->trainer;
  if (!trainer || !trainer->resources_per_node) return;
  for (PodSet& set : info.pod_sets) {
    if (takes_node_resources(info, set)) apply(info, set, *trainer->resources_per_node, make);
  }
}

const Node* merge_overrides(OverrideStyle style, const OverrideMerge& merge, const Node& spec) {
  switch (style) {
    case OverrideStyle::PodSpecs: return merge_pod_specs(merge, spec);
    case OverrideStyle::PodTemplates: return merge_pod_templates(merge, spec);
    case OverrideStyle::JobTemplates: return merge_job_templates(merge, spec);
    case OverrideStyle::JobSets: return merge_job_sets(merge, spec);
  }
  return &spec;
}

policy::StringMap put_all(const policy::NodeList& steps) {
  policy::StringMap map;
  std::unordered_map<std::string_view, size_t> indices;
  for (const Node* step : steps) {
    for (const yaml::Entry& entry : step->entries()) {
      const auto [known, is_new] = indices.try_emplace(entry.key, map.size());
      if (is_new)
        map.push_back(entry);
      else
        map[known->second] = entry;
    }
  }
  return map;
}

}  // namespace

policy::NodeList metadata_steps(const RuntimeInfo& info, std::string_view key, const Maker& make) {
  const model::TrainJob& job = *info.job;
  policy::NodeList steps;
  const auto add = [&](const Node* values) { steps.push_back(values ? values : make.map({})); };
  add(key == "labels" ? info.runtime->labels : info.runtime->annotations);
  add(job.root->at({"spec", key}));
  for (const Node* patch : model::runtime_patches(job))
    add(patch->at({"trainingRuntimeSpec", "template", "metadata", key}));
  return steps;
}

std::optional<RuntimeInfo> merge_runtime(const model::TrainJob& job, const model::Runtime& runtime,
                                         const schema::Schema& job_set_spec,
                                         const model::Behaviours& behaviours, const Maker& make,
                                         base::Diagnostics& diagnostics) {
  const Node* spec = runtime.job_set_spec ? runtime.job_set_spec : make.map({}, runtime.root->origin());
  policy::NodeList steps{spec};
  const OverrideMerge merge{job, job_set_spec, make, diagnostics, steps};
  spec = merge_overrides(behaviours.overrides, merge, *spec);
  if (!spec) return std::nullopt;
  spec = make.with_origin(*spec, make.made(kMergedRule, steps));
  RuntimeInfo info = policy::make_runtime_info(job, runtime, spec, behaviours);
  info.labels = put_all(metadata_steps(info, "labels", make));
  info.annotations = put_all(metadata_steps(info, "annotations", make));
  apply_node_resources(info, make);
  return info;
}

namespace {

// A list of limits or requests with that number of GPUs, if it has any.
const Node* with_gpus(const Node* list, int64_t gpus, const Maker& make) {
  if (!list) return nullptr;
  std::vector<yaml::Entry> entries(list->entries().begin(), list->entries().end());
  for (yaml::Entry& entry : entries) {
    if (policy::is_gpu(entry.key))
      entry.value = make.copied(std::to_string(gpus), make.made("--processes", {entry.value}));
  }
  return make.map(entries, list->origin());
}

class Scaling {
 public:
  Scaling(model::TrainJob& job, const Maker& make) : job_(job), make_(make) {}

  // Sets a value, whose origin is what it replaces, or what would contain it.
  void set(std::string_view field, std::string_view flag, const Node* value) {
    const Node* place = job_.root->at({"spec", "trainer", field});
    if (!place) place = job_.root->at({"spec", "trainer"});
    if (!place) place = job_.runtime_ref.node;
    const Node* set = make_.with_origin(*value, make_.made(flag, {place}));
    root_ = make_.with_path(root_, {"spec", "trainer", field}, set);
    encoded_ = make_.with_path(encoded_, {"spec", "trainer", field}, set);
  }

  void set_gpus(const NodeResources& resources, int64_t gpus) {
    if (policy::gpus_per_node(resources) == 0) return;
    const Node* changed = make_.with(resources.source, "limits", with_gpus(resources.limits, gpus, make_));
    changed = make_.with(changed, "requests", with_gpus(resources.requests, gpus, make_));
    set("resourcesPerNode", "--processes", changed);
  }

  void finish() {
    const bool is_owner = job_.is_owner;
    job_ = model::decode_train_job(*root_, *encoded_);
    job_.is_owner = is_owner;
  }

 private:
  model::TrainJob& job_;
  const Maker& make_;
  const Node* root_ = job_.root;
  const Node* encoded_ = job_.encoded;
};

// Whether a node of the framework can run several processes.
bool check_processes(const RuntimeInfo& merged, const JobScale& scale, policy::Findings& findings) {
  const policy::Framework* framework = policy::framework_of(merged);
  if (scale.processes == 1 || (framework && framework->has_processes)) return true;
  const bool counts_gpus = framework && framework->counts_gpus;
  if (counts_gpus && policy::gpus_per_node(policy::resources_per_node(merged)) > 0) return true;
  const std::string who = framework ? fmt::format("{} ", framework->title) : "the runtime ";
  findings.add("input/processes-per-node", "spec.trainer",
               fmt::format("--processes {}: {}starts one process per node{}", scale.processes, who,
                           counts_gpus ? " without GPUs" : ""),
               merged.job->runtime_ref.name.node,
               fmt::format("leave it out, or use --nodes {}", scale.processes));
  return false;
}

}  // namespace

bool scale_job(model::TrainJob& job, const RuntimeInfo& merged, const JobScale& scale, const Maker& make,
               policy::Findings& findings) {
  if (scale.processes > 0 && !check_processes(merged, scale, findings)) return false;
  Scaling scaling(job, make);
  if (scale.nodes > 0) scaling.set("numNodes", "--nodes", make.integer(scale.nodes));
  if (scale.processes > 0) {
    const policy::Framework* framework = policy::framework_of(merged);
    if (framework && framework->has_processes)
      scaling.set("numProcPerNode", "--processes", make.integer(scale.processes));
    scaling.set_gpus(policy::resources_per_node(merged), scale.processes);
  }
  scaling.finish();
  return true;
}

}  // namespace trainjobc::compile
