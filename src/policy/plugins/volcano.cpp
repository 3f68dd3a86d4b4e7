// SPDX-License-Identifier: Apache-2.0

// Volcano: the batch scheduler's PodGroup, with queue, priority class and network topology.
#include <fmt/format.h>

#include <array>

#include "model/trainer_names.h"
#include "policy/container.h"
#include "policy/plugins.h"
#include "policy/runtime_info.h"

namespace trainjobc::policy::volcano {
namespace {

constexpr std::array<OwnedObject, 1> kObjects{{{"PodGroup", ""}}};

using yaml::Node;

constexpr std::string_view kGroupAnnotation = "scheduling.k8s.io/group-name";

bool is_used(const RuntimeInfo& info) {
  return info.runtime->pod_group_policy && info.runtime->pod_group_policy->volcano;
}

const Node* priority_class_of(const PodSet& set) {
  return set.pod_spec() ? set.pod_spec()->get("priorityClassName") : nullptr;
}

// The last replicatedJob that names a class decides.
const Node* priority_class(const RuntimeInfo& info) {
  const Node* name = nullptr;
  for (const PodSet& set : info.pod_sets) {
    if (const Node* own = priority_class_of(set)) name = own;
  }
  return name;
}

const Node* network_topology(const yaml::Maker& make, const RuntimeInfo& info) {
  const Node* topology = info.runtime->pod_group_policy->network_topology;
  if (!topology) return nullptr;
  return make.map(
      {{"mode", topology->get("mode")}, {"highestTierAllowed", topology->get("highestTierAllowed")}},
      topology->origin());
}

// The number of all pods; in a dialect, the runtime's number.
const Node* min_member(const yaml::Maker& make, const RuntimeInfo& info, int64_t pods, yaml::Origin origin) {
  const auto& given = info.runtime->pod_group_policy->min_member;
  return given ? given->node : make.integer(pods, origin);
}

void validate(PluginContext& context) {
  const RuntimeInfo& info = context.info;
  if (!is_used(info)) return;
  const Node* queue = find(info.annotations, model::kVolcanoQueue);
  if (queue && queue->text().empty()) {
    context.findings.add("input/volcano-queue", fmt::format("spec.annotations[{}]", model::kVolcanoQueue),
                         "the Volcano queue name can't be empty", queue,
                         "name a queue, or remove the annotation");
  }
}

void expand(PluginContext& context) {
  RuntimeInfo& info = context.info;
  if (!is_used(info)) return;
  put(info.pod_annotations,
      {kGroupAnnotation,
       context.make.string(info.job_name(), context.make.made("volcano/group-annotation")),
       {}});
}

void build(PluginContext& context, NodeList& objects) {
  const RuntimeInfo& info = context.info;
  if (!is_used(info)) return;
  const yaml::Maker& make = context.make;
  const yaml::Origin origin = make.made("volcano/pod-group");
  const Gang gang = gang_of(info);
  const Node* spec = make.map({{"minMember", min_member(make, info, gang.members, origin)},
                               {"minResources", to_node(make, gang.resources, origin)},
                               {"queue", find(info.annotations, model::kVolcanoQueue)},
                               {"priorityClassName", priority_class(info)},
                               {"networkTopology", network_topology(make, info)}},
                              origin);
  objects.push_back(owned_object(make, *info.job, "scheduling.volcano.sh/v1beta1", "PodGroup",
                                 info.job_name(), {{"spec", spec}}, origin));
}

}  // namespace

constexpr Plugin kPlugin{
    .name = "Volcano", .objects = kObjects, .validate = validate, .expand = expand, .build = build};

}  // namespace trainjobc::policy::volcano
