// SPDX-License-Identifier: Apache-2.0

#include "compile/node_resources.h"

#include <algorithm>
#include <vector>

#include "model/trainer_names.h"

namespace trainjobc::compile {
namespace {

using model::GangRequests;
using model::NodeResourcesStyle;
using policy::PodSet;
using policy::RuntimeInfo;
using yaml::Maker;
using yaml::Node;

// `base` with the entries of `above`, which replace those of the same key.
const Node* overlay(const Node& base, const Node& above, const Maker& make) {
  std::vector<yaml::Entry> entries(base.entries().begin(), base.entries().end());
  for (const yaml::Entry& entry : above.entries()) {
    const auto same = std::ranges::find(entries, entry.key, &yaml::Entry::key);
    if (same != entries.end()) {
      *same = entry;
    } else {
      entries.push_back(entry);
    }
  }
  return make.map(entries, base.origin());
}

// Merges limits and requests per resource; drops claims.
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

// The set's job with other resources in its first container `node`.
const Node* with_resources(const PodSet& set, size_t index, const Node* resources, const Maker& make) {
  const Node* containers = set.pod_spec()->get("containers");
  std::vector<const Node*> items(containers->items().begin(), containers->items().end());
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

void apply_node_resources(RuntimeInfo& info, const Maker& make) {
  const auto& trainer = info.job->trainer;
  if (!trainer || !trainer->resources_per_node) return;
  for (PodSet& set : info.pod_sets) {
    if (takes_node_resources(info, set)) apply(info, set, *trainer->resources_per_node, make);
  }
}

}  // namespace trainjobc::compile
