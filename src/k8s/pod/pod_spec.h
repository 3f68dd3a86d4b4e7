// SPDX-License-Identifier: Apache-2.0

// The spec of a pod: everything around its containers and volumes.
#pragma once

#include <string_view>
#include <vector>

#include "k8s/check/field.h"
#include "k8s/check/violation_report.h"

namespace trainjobc::k8s::job {

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

}  // namespace trainjobc::k8s::job
