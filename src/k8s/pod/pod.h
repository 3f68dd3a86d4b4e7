// SPDX-License-Identifier: Apache-2.0

// The spec of a pod, and its parts, each checked by one function. `spec` is the pod's spec.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "k8s/field.h"
#include "k8s/quantity.h"
#include "k8s/violations.h"
#include "yaml/node.h"
#include "yaml/rewrite/edits.h"

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

// The imagePullPolicy that the API server sets: Always for the tag `latest`, and where there is neither a tag
// nor a digest.
std::string_view default_pull_policy(std::string_view image);

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

// Containers of all kinds, and their parts. `container` is one of spec.containers, initContainers or
// ephemeralContainers.

// spec.containers, spec.initContainers and spec.ephemeralContainers.
void check_containers(const Field& spec, const PodFacts& facts, Report& report);

// What containers of every kind share.
void check_container(const Field& container, const PodFacts& facts, Report& report);

void check_env(const Field& container, Report& report);
// Volumes that files of environment variables are read from must be emptyDirs.
void check_env_files(const Field& spec, const PodFacts& facts, Report& report);
void check_ports(const Field& ports, Report& report);
void check_resize_policy(const Field& policies, const PodFacts& facts, Report& report);
// restartPolicy and restartPolicyRules.
void check_container_restart(const Field& container, Report& report);
// volumeMounts and volumeDevices.
void check_mounts(const Field& container, const PodFacts& facts, Report& report);
// lifecycle and the three probes, of containers that may have them.
void check_hooks(const Field& container, const PodFacts& facts, Report& report);
// Whether the API server sees a lifecycle: it drops stopSignal, and a lifecycle of nothing else with it.
bool has_lifecycle(const Field& container);

// fieldRef and resourceFieldRef, of environment variables and of files in downwardAPI volumes.
void check_field_ref(const Field& reference, bool in_volume, Report& report);
void check_resource_field_ref(const Field& reference, bool in_volume, Report& report);

// Security contexts of pods and containers.

// `host_users`: the pod shares the host's users.
void check_security_context(const Field& context, bool host_users, Report& report);

// The settings that security contexts of pods and containers share.
void check_seccomp_profile(const Field& profile, Report& report);
void check_apparmor_profile(const Field& profile, Report& report);
void check_windows_options(const Field& options, Report& report);

// Resource requests and limits.

// resources of a container.
void check_container_resources(const Field& resources, const PodFacts& facts, Report& report);
// resources of the whole pod: only CPU, memory and huge pages.
void check_pod_level_resources(const Field& resources, const PodFacts& facts, Report& report);
// overhead of the pod, which the API server checks like the limits of a container.
void check_overhead(const Field& overhead, Report& report);

// A non-negative amount, and a whole number if the resource is counted in units.
void check_amount(std::string_view resource, const Field& amount, Report& report);

// An amount as the API server stores it: rounded up to thousandths. nullopt if it is not a quantity.
std::optional<Quantity> stored_amount(const Field& amount);

bool is_huge_page(std::string_view resource);

// The names under which vendors' device plugins offer all their devices: {"nvidia.com", "gpu"}.
struct Device {
  std::string_view domain;
  std::string_view name;
};
std::span<const Device> known_devices();

// Gives requests an equal limit. `resources` holds both lists, and outlives it.
class LimitFixes {
 public:
  explicit LimitFixes(const yaml::Node& resources);

  // The edit for an entry of requests. Empty if the two lists come from different objects: one job does not
  // change the limits of its runtime.
  std::vector<base::Edit> fix(const yaml::Entry& request);

 private:
  const yaml::Entry* limits_;
  const yaml::Entry* requests_;
  std::optional<yaml::MapBefore> new_limits_;  // if there are none
};

// The sources of volumes. Each function checks one source that is given; `source` has the path that the API
// server names it by.

// Files that the API server fills in.
void check_secret_volume(const Field& source, Report& report);
void check_config_map_volume(const Field& source, Report& report);
void check_downward_volume(const Field& source, Report& report);
void check_projected_volume(const Field& source, Report& report);

// spec of a PersistentVolumeClaim.
void check_claim_spec(const Field& spec, Report& report);

// A claim created for the pod.
void check_ephemeral_volume(const Field& source, Report& report);
void check_csi_volume(const Field& source, Report& report);

// Directories and disks.
void check_empty_dir(const Field& source, Report& report);
void check_host_path(const Field& source, Report& report);
void check_git_repo(const Field& source, Report& report);
void check_nfs(const Field& source, Report& report);
void check_image_volume(const Field& source, Report& report);
void check_partitioned_disk(const Field& source, Report& report);
void check_cinder(const Field& source, Report& report);
void check_azure_disk(const Field& source, Report& report);
void check_iscsi(const Field& source, Report& report);
void check_fc(const Field& source, Report& report);
void check_flocker(const Field& source, Report& report);
void check_quobyte(const Field& source, Report& report);
void check_flex_volume(const Field& source, Report& report);
void check_storage_os(const Field& source, Report& report);

}  // namespace trainjobc::k8s::pod
