// SPDX-License-Identifier: Apache-2.0

// The spec of a pod, and its parts, each checked by one function. `spec` is the pod's spec.
#pragma once

#include <array>
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

// What the checks of containers need to know about their pod, defaults applied.
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

  // The usable volume of that name; nullptr if there is none.
  const yaml::Node* volume(std::string_view name) const;
};

// Whether a volume is an emptyDir, explicitly or by default.
bool is_empty_dir(const yaml::Node& volume);
// Whether a volume is a persistent volume claim, either the pod's own or an existing one.
bool is_claim(const yaml::Node& volume);

// Checks template.spec of a Job.
void check_pod_spec(const Field& spec, std::vector<std::string_view> claim_templates, Report& report);

// Checks spec.restartPolicy: what a Job allows depends on whether it has a podFailurePolicy.
void check_restart_policy(const Field& spec, bool has_failure_policy, Report& report);

// The imagePullPolicy that the API server sets: Always for the tag `latest`, and without tag and digest.
std::string_view default_pull_policy(std::string_view image);

// Calls `visit` with each container: init containers, then containers, then ephemeral ones.
template <class Visit>
void for_each_container(const Field& spec, Visit visit) {
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    const Field containers = spec.child(list);
    for_each_item(containers, visit);
  }
}

void check_affinity(const Field& affinity, Report& report);
void check_pod_security_context(const Field& spec, Report& report);
// Checks spec.resources and spec.overhead.
void check_pod_resources(const Field& spec, const PodFacts& facts, Report& report);
void check_tolerations(const Field& tolerations, Report& report);
void check_topology_spread(const Field& constraints, Report& report);
// Checks the volumes and returns them in their order.
std::vector<PodVolume> check_volumes(const Field& volumes, Report& report);

// Sources of projected volumes.
inline constexpr std::array<std::string_view, 3> kCertificatePaths{"credentialBundlePath", "keyPath",
                                                                   "certificateChainPath"};
void check_trust_bundle(const Field& bundle, Report& report);
void check_pod_certificate(const Field& certificate, Report& report);

// Old forms of what are now fields of the spec, and a few settings. They must not contradict the spec.
void check_pod_annotations(const Field& annotations, const Field& spec, Report& report);

// Containers of all kinds, and their parts. `container` is one of spec.containers, initContainers or
// ephemeralContainers.

// Checks spec.containers, spec.initContainers and spec.ephemeralContainers.
void check_containers(const Field& spec, const PodFacts& facts, Report& report);

void check_env(const Field& container, Report& report);
// Checks that volumes from which environment variables are read are emptyDirs.
void check_env_files(const Field& spec, const PodFacts& facts, Report& report);
// Checks volumeMounts and volumeDevices.
void check_mounts(const Field& container, const PodFacts& facts, Report& report);

// Checks fieldRef and resourceFieldRef, of environment variables and of files in downwardAPI volumes.
void check_field_ref(const Field& reference, bool in_volume, Report& report);
void check_resource_field_ref(const Field& reference, bool in_volume, Report& report);

// Security contexts of pods and containers.

// `host_users`: the pod shares the host's users.
void check_security_context(const Field& context, bool host_users, Report& report);

// Resource requests and limits.

// Checks the resources of a container.
void check_container_resources(const Field& resources, const PodFacts& facts, Report& report);

// An amount as the API server stores it: rounded up to thousandths. nullopt if it is not a quantity.
std::optional<Quantity> stored_amount(std::string_view text);

// Amounts by resource, and how their texts are read: as stored, or as written.
using Amounts = std::map<std::string_view, Quantity>;
using ReadAmount = std::optional<Quantity> (*)(std::string_view text);

void add_amounts(Amounts& to, const Amounts& amounts);
// `list` may be nullptr.
Amounts amounts_in(const yaml::Node* list, ReadAmount read);
// The maximum of `list`, requests or limits, that containers need at the same time: the regular ones with the
// sidecars, or an init container with the sidecars started before it, which keep running. Source of the
// rules: k8s.io/component-helpers/resource, PodRequests.
Amounts most_needed(const yaml::Node& pod_spec, std::string_view list, ReadAmount read);

// A name under which a vendor's device plugin offers all its devices: {"nvidia.com", "gpu"}.
struct Device {
  std::string_view domain;
  std::string_view name;
};
std::span<const Device> known_devices();

// Gives requests an equal limit. `resources` contains both lists, and must outlive it.
class LimitFixes {
 public:
  explicit LimitFixes(const yaml::Node& resources);

  // The edit for an entry of requests. Empty if the two lists come from different objects: a job doesn't
  // change the limits of its runtime.
  std::vector<base::Edit> fix(const yaml::Entry& request);

 private:
  const yaml::Entry* limits_;
  const yaml::Entry* requests_;
  std::optional<yaml::MapBefore> new_limits_;  // used if there are no limits
};

// Checks the spec of a PersistentVolumeClaim.
void check_claim_spec(const Field& spec, Report& report);

}  // namespace trainjobc::k8s::pod
