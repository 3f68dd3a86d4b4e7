#include "compile/node_resources.h"

#include <algorithm>
#include <vector>

#include "model/names.h"

namespace trainjobc::compile {
namespace {

using model::GangRequests;
using model::NodeResourcesStyle;
using policy::PodSet;
using policy::RuntimeInfo;
using yaml::Maker;
using yaml::Node;

// Limits and requests, each resource for itself; claims are dropped.
const Node* merged_resources(const Node* base, const Node& of_job, const Maker& make) {
  const auto merge_list = [&](std::string_view key) -> const Node* {
    const Node* below = base ? base->get(key) : nullptr;
    const Node* above = of_job.get(key);
    if (above && above->size() == 0) above = nullptr;
    if (!below || !above) return below ? below : above;
    const Node* merged = below;
    for (const yaml::Entry& entry : above->entries()) merged = make.with(merged, entry.key, entry.value);
    return merged;
  };
  const Node* merged = make.map({}, of_job.origin());
  merged = make.with(merged, "limits", merge_list("limits"));
  return make.with(merged, "requests", merge_list("requests"));
}

// The job's limits and requests; the runtime's where the job has neither.
const Node* replaced_resources(const Node* base, const Node& of_job, const Maker& make) {
  return of_job.get("limits") || of_job.get("requests") ? make.with(&of_job, "claims", nullptr) : base;
}

// The set's job with other resources in its first container `node`.
const Node* with_resources(const PodSet& set, size_t index, const Node* resources, const Maker& make) {
  const Node* containers = set.pod_spec()->get("containers");
  std::vector<const Node*> items(containers->items().begin(), containers->items().end());
  items[index] = make.with(items[index], "resources", resources);
  return make.with_path(set.replicated_job, {"template", "spec", "template", "spec", "containers"},
                        make.list(items, containers->origin()));
}

bool takes_resources(const RuntimeInfo& info, const PodSet& set) {
  const bool needs_policy = info.behaviours->node_resources == NodeResourcesStyle::MergePerKey;
  if (needs_policy && !info.policy) return false;
  return set.ancestor == model::kTrainer || policy::is_launched_node(info, set);
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

void apply_node_resources(RuntimeInfo& info, const Maker& make) {
  const auto& trainer = info.job->trainer;
  if (!trainer || !trainer->resources_per_node) return;
  for (PodSet& set : info.pod_sets) {
    if (takes_resources(info, set)) apply(info, set, *trainer->resources_per_node, make);
  }
}

}  // namespace trainjobc::compile
