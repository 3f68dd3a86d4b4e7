// SPDX-License-Identifier: Apache-2.0

// Kueue's quotas: what its scheduler reads of ClusterQueues, LocalQueues, ResourceFlavors, Cohorts and
// priority classes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "compile/compile.h"
#include "features/cluster/live.h"
#include "features/kubectl/kubectl.h"
#include "features/plan/quota/kueue.h"
#include "yaml/node.h"

namespace trainjobc::plan {

// Kueue counts CPU in thousandths and everything else in ones, in an int64. Sums and products of such amounts
// are exact here.
__extension__ using Units = __int128;
// Stands for an amount that Kueue can't count, and for sums with it: more than any quota.
inline constexpr Units kUncounted = Units{1} << 100U;
// Returns kUncounted if the amount does not fit an int64.
Units to_units(std::string_view resource, const k8s::Quantity& amount);
Units to_units(std::string_view resource, std::string_view quantity);
Units added(Units a, Units b);
Units multiplied(Units a, int64_t factor);
// The amount as Kueue prints it: memory as 512Gi, CPU as 1500m.
std::string units_text(std::string_view resource, Units amount);

// A resource in a flavor.
struct FlavorResource {
  std::string flavor;
  std::string resource;

  auto operator<=>(const FlavorResource&) const = default;
};

struct ResourceQuota {
  Units nominal = 0;
  std::optional<Units> borrowing_limit;
  std::optional<Units> lending_limit;
};

using Quotas = std::map<FlavorResource, ResourceQuota>;

struct ResourceGroup {
  std::set<std::string, std::less<>> resources;
  std::vector<std::string> flavors;  // in the order in which Kueue tries them
};

// Which admitted jobs a job may displace.
enum class Preemption { Never, LowerPriority, LowerOrNewerEqualPriority, Any };

// The fields of spec.preemption.
struct PreemptionPolicy {
  Preemption within_queue = Preemption::Never;
  Preemption within_cohort = Preemption::Never;  // applies to jobs that borrow from other queues
  bool while_borrowing = false;                  // borrowWithinCohort is LowerPriority
  std::optional<int64_t> threshold;              // its maxPriorityThreshold
};

struct ClusterQueue {
  std::string name;
  std::string cohort;  // "" if it has none
  std::vector<ResourceGroup> groups;
  Quotas quotas;
  const yaml::Node* namespace_selector = nullptr;  // nullptr: selects no namespace
  bool is_stopped = false;
  bool is_strict = false;                    // queueingStrategy: StrictFIFO
  bool tries_next_before_borrowing = false;  // flavorFungibility.whenCanBorrow: TryNextFlavor
  bool tries_next_before_preempting = true;  // flavorFungibility.whenCanPreempt
  bool prefers_near_quota = false;           // flavorFungibility.preference
  PreemptionPolicy preemption;
  std::vector<std::string> admission_checks;  // sorted
};

struct LocalQueue {
  std::string cluster_queue;
  bool is_stopped = false;
};

struct Cohort {
  std::string parent;  // "" for a root
  Quotas quotas;
};

struct Flavor {
  const yaml::Node* labels = nullptr;       // nullptr if there are none
  const yaml::Node* taints = nullptr;       // likewise
  const yaml::Node* tolerations = nullptr;  // likewise
  std::string topology;                     // "" if it doesn't place pods by topology
};

// Objects by name. Nodes live as long as `objects`.
struct Quota {
  std::map<std::string, ClusterQueue, std::less<>> cluster_queues;
  std::map<std::pair<std::string, std::string>, LocalQueue> local_queues;  // by {namespace, name}
  std::map<std::string, Cohort, std::less<>> cohorts;                      // those defined by an object
  std::map<std::string, Flavor, std::less<>> flavors;
  std::set<std::string, std::less<>> admission_checks;
  // For DRA: DeviceClasses by ResourceClaimTemplate, which has a namespace and a name.
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> claim_templates;
  std::set<std::string, std::less<>> mapped_device_classes;                 // of Kueue's Configuration
  std::multimap<std::string, std::string> limit_ranges;                     // by namespace, their names
  std::map<std::string, const yaml::Node*, std::less<>> namespaces;         // their labels; may be nullptr
  std::map<std::string, std::vector<std::string>, std::less<>> topologies;  // the labels of the levels
  std::map<std::string, int64_t, std::less<>> workload_priorities;          // of WorkloadPriorityClasses
  std::map<std::string, int64_t, std::less<>> pod_priorities;               // of PriorityClasses
  std::optional<int64_t> default_priority;                                  // from the default PriorityClass
  KueueBehaviour kueue = newest_kueue();
  std::shared_ptr<cluster::LiveSet> objects = std::make_shared<cluster::LiveSet>();

  // The queue's flavors that don't exist, in its order. Kueue admits nothing to such a queue.
  std::vector<std::string> missing_flavors(const ClusterQueue& queue) const;
};

// Reads the sources' objects of Kueue, and namespaces; skips others. What can't be read, and amounts that are
// not quantities, or too large for Kueue, become diagnostics.
Quota read_quota(std::vector<Source> sources, base::Diagnostics& diagnostics,
                 const KueueBehaviour& kueue = newest_kueue());
// Does so for objects that have been read.
Quota read_quota(std::shared_ptr<cluster::LiveSet> objects, base::Diagnostics& diagnostics,
                 const KueueBehaviour& kueue = newest_kueue());

struct FetchedQuota {
  std::shared_ptr<cluster::LiveSet> objects = std::make_shared<cluster::LiveSet>();
  kubectl::Failure failure;             // cause None if the queues and flavors came
  std::string warnings;                 // what could not be looked up
  std::optional<KueueBehaviour> kueue;  // that the cluster runs; nullopt if that could not be seen
};

// Fetches the quotas of a cluster. Objects that are not essential, such as Cohorts and Namespaces, may be
// missing or forbidden, with a warning.
FetchedQuota fetch_quota(const kubectl::Kubectl& kubectl);

}  // namespace trainjobc::plan
