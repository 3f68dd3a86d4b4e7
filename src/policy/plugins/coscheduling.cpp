// SPDX-License-Identifier: Apache-2.0

// CoScheduling: the scheduler plugin starts all pods of a PodGroup together or none.
#include <fmt/format.h>

#include <array>

#include "policy/container.h"
#include "policy/plugins.h"
#include "policy/runtime_info.h"

namespace trainjobc::policy::coscheduling {
namespace {

constexpr std::array<OwnedObject, 1> kObjects{{{"PodGroup", ""}}};

constexpr std::string_view kPodGroupLabel = "scheduling.x-k8s.io/pod-group";

bool is_used(const RuntimeInfo& info) {
  return info.runtime->pod_group_policy && info.runtime->pod_group_policy->coscheduling;
}

// The CRD of PodGroups requires at least one member. Which objects exist when the controller fails is random.
void report_no_members(PluginContext& context) {
  const model::RuntimeRef& ref = context.info.job->runtime_ref;
  base::Diagnostic& finding = context.findings.add(
      "advice/pod-group-empty", "spec.runtimeRef",
      fmt::format(
          "the job has no pods, and a PodGroup needs at least one: runtime \"{}\" asks for coscheduling",
          ref.name.value),
      ref.name.node, "add a replicatedJob with pods, or remove podGroupPolicy");
  finding.notes.push_back({"the runtime", yaml::locate(*context.info.runtime->root->get("metadata"))});
}

void expand(PluginContext& context) {
  RuntimeInfo& info = context.info;
  if (is_used(info) && gang_of(info).members < 1) report_no_members(context);
  const bool labels =
      info.behaviours->any_policy_labels_pods ? info.runtime->pod_group_policy.has_value() : is_used(info);
  if (!labels) return;
  put(info.pod_labels,
      {kPodGroupLabel,
       context.make.string(info.job_name(), context.make.made("coscheduling/pod-group-label")),
       {}});
}

void build(PluginContext& context, NodeList& objects) {
  const RuntimeInfo& info = context.info;
  if (!is_used(info)) return;
  const yaml::Maker& make = context.make;
  const yaml::Origin origin = make.made("coscheduling/pod-group");
  const Gang gang = gang_of(info);
  const auto& timeout = info.runtime->pod_group_policy->schedule_timeout_seconds;
  const yaml::Node* spec = make.map({{"minMember", make.integer(gang.members, origin)},
                                     {"minResources", to_node(make, gang.resources, origin)},
                                     {"scheduleTimeoutSeconds", timeout ? timeout->node : nullptr}},
                                    origin);
  objects.push_back(owned_object(make, *info.job, "scheduling.x-k8s.io/v1alpha1", "PodGroup", info.job_name(),
                                 {{"spec", spec}}, origin));
}

}  // namespace

constexpr Plugin kPlugin{.name = "CoScheduling", .objects = kObjects, .expand = expand, .build = build};

}  // namespace trainjobc::policy::coscheduling
