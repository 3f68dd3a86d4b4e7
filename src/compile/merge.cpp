#include "compile/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "model/names.h"
#include "schema/strategic_merge.h"
#include "schema/typed.h"

namespace trainjobc::compile {
namespace {

using yaml::Maker;
using yaml::Node;

void add_all(policy::StringMap& map, const Node* values) {
  if (!values) return;
  for (const yaml::Entry& entry : values->entries()) {
    policy::put(map, entry.key, entry.value);
  }
}

std::span<const Node* const> patches_of(const model::TrainJob& job) {
  const Node* patches = job.root->at({"spec", "runtimePatches"});
  return patches ? patches->items() : std::span<const Node* const>();
}

// The position of each replicatedJob in the runtime: patches don't move them.
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
    std::vector<const Node*> sorted(jobs->items().begin(), jobs->items().end());
    std::ranges::stable_sort(sorted, {}, [&](const Node* job) { return position(*job); });
    if (std::ranges::equal(sorted, jobs->items())) return &spec;
    return make.with(&spec, "replicatedJobs", make.list(sorted, jobs->origin()));
  }

 private:
  // A job that the runtime hasn't got counts as the first, as in the controller.
  size_t position(const Node& job) const {
    const Node* name = job.get("name");
    const auto found = positions_.find(name ? name->text() : std::string_view());
    return found != positions_.end() ? found->second : 0;
  }

  std::map<std::string_view, size_t> positions_;
};

void report_merge_error(const schema::MergeError& error, const model::TrainJob& job, base::Diagnostics& diagnostics) {
  base::Diagnostic diagnostic;
  diagnostic.rule = "input/patch";
  diagnostic.object = job.id.str();
  diagnostic.field = "spec.runtimePatches";
  diagnostic.message = fmt::format("this patch can't be merged: {}", error.message);
  diagnostic.hint = "$patch is replace or delete";
  if (error.culprit) diagnostic.location = yaml::locate(*error.culprit);
  diagnostics.add(std::move(diagnostic));
}

// nullptr where a patch can't be merged.
const Node* patch_spec(const model::TrainJob& job, const Node* spec, const schema::Schema& job_set_spec,
                       const Maker& make, base::Diagnostics& diagnostics) {
  const JobOrder order(*spec);
  bool patched = false;
  for (const Node* patch : patches_of(job)) {
    const Node* change = patch->at({"trainingRuntimeSpec", "template", "spec"});
    if (!change) continue;
    const schema::MergeResult merged = schema::strategic_merge(spec, *change, job_set_spec, make);
    if (const auto* error = std::get_if<schema::MergeError>(&merged)) {
      report_merge_error(*error, job, diagnostics);
      return nullptr;
    }
    spec = schema::as_typed(*std::get<const Node*>(merged), job_set_spec, make);
    patched = true;
  }
  return patched ? order.restore(*spec, make) : spec;
}

// Trainer 2.3: limits and requests merge key by key; claims are dropped.
const Node* merge_resources(const Node* base, const Node& job_resources, const Maker& make) {
  const auto merge_list = [&](std::string_view key) -> const Node* {
    const Node* below = base ? base->get(key) : nullptr;
    const Node* above = job_resources.get(key);
    if (!below || !above) return below ? below : above;
    const Node* merged = below;
    for (const yaml::Entry& entry : above->entries()) merged = make.with(merged, entry.key, entry.value);
    return merged;
  };
  const Node* merged = make.map({}, job_resources.origin());
  merged = make.with(merged, "limits", merge_list("limits"));
  return make.with(merged, "requests", merge_list("requests"));
}

bool takes_job_resources(const policy::PodSet& set, const model::Runtime& runtime) {
  if (!runtime.ml_policy) return false;
  if (set.ancestor == model::kTrainer) return true;
  return runtime.ml_policy->mpi && runtime.ml_policy->mpi->run_launcher_as_node && set.name == model::kNode;
}

// The set with the job's resources in its first container `node`.
void apply_resources(policy::PodSet& set, const Node& resources, const Maker& make) {
  const auto node = std::ranges::find(set.containers, model::kNode, &policy::Container::name);
  if (node == set.containers.end()) return;
  const Node* merged = merge_resources(node->node->get("resources"), resources, make);
  const Node* containers = set.pod_spec()->get("containers");
  std::vector<const Node*> items(containers->items().begin(), containers->items().end());
  node->node = make.with(node->node, "resources", merged);
  items[static_cast<size_t>(node - set.containers.begin())] = node->node;
  set.replicated_job = make.with_path(set.replicated_job, {"template", "spec", "template", "spec", "containers"},
                                      make.list(items, containers->origin()));
}

}  // namespace

std::optional<policy::RuntimeInfo> merge_runtime(const model::TrainJob& job, const model::Runtime& runtime,
                                                 const schema::Schema& job_set_spec, const Maker& make,
                                                 base::Diagnostics& diagnostics) {
  const Node* spec = runtime.job_set_spec ? runtime.job_set_spec : make.map({}, runtime.root->origin());
  spec = patch_spec(job, spec, job_set_spec, make, diagnostics);
  if (!spec) return std::nullopt;
  policy::RuntimeInfo info = policy::make_runtime_info(job, runtime, spec);
  add_all(info.labels, runtime.labels);
  add_all(info.annotations, runtime.annotations);
  for (const Node* patch : patches_of(job)) {
    add_all(info.labels, patch->at({"trainingRuntimeSpec", "template", "metadata", "labels"}));
    add_all(info.annotations, patch->at({"trainingRuntimeSpec", "template", "metadata", "annotations"}));
  }
  if (job.trainer && job.trainer->resources_per_node) {
    for (policy::PodSet& set : info.pod_sets) {
      if (takes_job_resources(set, runtime)) apply_resources(set, *job.trainer->resources_per_node, make);
    }
  }
  return info;
}

}  // namespace trainjobc::compile
