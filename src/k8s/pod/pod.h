// SPDX-License-Identifier: Apache-2.0

// The spec of a pod, and its parts, each checked by one function. `spec` is the pod's spec.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "k8s/field.h"
#include "k8s/violations.h"

namespace trainjobc::k8s::pod {

// A volume of the pod, and whether it passes its own check; a mount finds only those that do.
struct PodVolume {
  std::string_view name;
  const yaml::Node* node = nullptr;
  bool usable = false;
};

// What the checks of containers need to know of their pod, defaults applied.
struct PodFacts {
  bool host_users = true;
  int64_t grace_period = 30;
  std::string_view restart_policy = "Always";
  // "" if the pod names no operating system.
  std::string_view os;
  std::vector<PodVolume> volumes;
  std::map<std::string_view, const yaml::Node*> usable_volumes;  // by name
  // The names of spec.resourceClaims.
  std::vector<std::string_view> claims;
  // The names of the claim templates in the JobSet's volumeClaimPolicies. Those that are mounted are volumes.
  std::vector<std::string_view> claim_templates;

  // The usable volume of that name.
  const yaml::Node* volume(std::string_view name) const;
};

// Whether a volume is an emptyDir, given or by default.
bool is_empty_dir(const yaml::Node& volume);
// Whether a volume is a persistent volume claim, the pod's own or another.
bool is_claim(const yaml::Node& volume);

// template.spec of a Job.
void check_pod_spec(const Field& spec, std::vector<std::string_view> claim_templates, Report& report);

// spec.restartPolicy, as a Job with or without a podFailurePolicy requires it.
void check_restart_policy(const Field& spec, bool has_failure_policy, Report& report);

// Calls `visit` with the containers, the init containers first, then the others, then the ephemeral ones.
template <class Visit>
void for_each_container(const Field& spec, Visit visit) {
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    const Field containers = spec.child(list);
    for_each_item(containers, visit);
  }
}

void check_affinity(const Field& affinity, Report& report);
// spec.dnsPolicy and spec.dnsConfig.
void check_dns(const Field& spec, Report& report);
// Host namespaces, host users and aliases, host ports of a pod on the host's network, the pod's own host
// name.
void check_host(const Field& spec, Report& report);
// spec.readinessGates and spec.schedulingGates.
void check_gates(const Field& spec, Report& report);
// Settings that only one operating system has, and spec.os itself.
void check_os(const Field& spec, Report& report);
void check_pod_security_context(const Field& spec, Report& report);
// spec.resources and spec.overhead.
void check_pod_resources(const Field& spec, const PodFacts& facts, Report& report);
void check_resource_claims(const Field& claims, Report& report);
void check_tolerations(const Field& tolerations, Report& report);
void check_topology_spread(const Field& constraints, Report& report);
// The volumes, in their order.
std::vector<PodVolume> check_volumes(const Field& volumes, Report& report);

// matchLabelKeys and mismatchLabelKeys beside a labelSelector, of a pod affinity term or a spread constraint.
void check_match_label_keys(const Field& term, std::string_view rule, Report& report);

// Old forms of what are now fields of the spec, and a few settings. They must not contradict the spec.
void check_pod_annotations(const Field& annotations, const Field& spec, Report& report);

}  // namespace trainjobc::k8s::pod
