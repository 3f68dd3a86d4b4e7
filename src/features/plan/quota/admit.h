// SPDX-License-Identifier: Apache-2.0

// Whether a job could ever be admitted by Kueue: with nothing else in the queues, and all that its cohort can
// lend idle.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "features/plan/quota/capacity.h"
#include "features/plan/quota/quota.h"
#include "yaml/node.h"

namespace trainjobc::plan {

// Which flavor each pod set of a job gets for each resource, and how much of it its ClusterQueue can use.
// Source of the rules: Kueue 0.15, pkg/scheduler/flavorassigner, pkg/cache/scheduler/resource_node.go.

struct QueuedPodSet {
  std::string name;
  int64_t pods = 0;
  std::map<std::string, Units, std::less<>> requests;  // of all its pods
  const yaml::Node* pod_spec = nullptr;
  bool wants_topology = false;  // an annotation asks for placement by topology
  std::string topology_level;   // the label of the level it names; "" if it names none
};

// Of a JobSet with its defaults: a pod set for each replicatedJob.
std::vector<QueuedPodSet> queued_pod_sets(const yaml::Node& job_set);

// The flavor that a pod set gets for a resource.
struct AssignedFlavor {
  std::string pod_set;
  std::string resource;
  std::string requested;  // of all its pods: "32"
  std::string flavor;
  bool borrows = false;  // more than the ClusterQueue's own quota, together with the pod sets before
};

// Why a flavor does not do, or why nothing does.
struct Obstacle {
  std::string pod_set;    // "" if it holds for the whole job
  std::string resource;   // "" if it is not about one
  std::string flavor;     // the same
  std::string requested;  // with the pod sets before, of that flavor; "" if it is not about an amount
  std::string most;       // what the ClusterQueue can use of it; the same
  std::string reason;     // a clause: "requests 64, and cluster-queue can use at most 32"
};

struct Assignment {
  std::vector<AssignedFlavor> flavors;
  std::vector<Obstacle> obstacles;  // empty: all fits
};

// Of an active ClusterQueue whose quota is idle, and that of its cohorts.
Assignment assign_flavors(const Capacity& capacity, const ClusterQueue& queue,
                          std::vector<QueuedPodSet> sets);

enum class Verdict {
  Admitted,  // it can be
  Never,
  NotQueued,  // no queue is named: Kueue leaves the job alone
};

std::string_view to_string(Verdict verdict);

struct Admission {
  Verdict verdict = Verdict::NotQueued;
  std::string local_queue;
  std::string cluster_queue;
  std::string cohort;
  std::vector<AssignedFlavor> flavors;  // of Admitted
  std::vector<Obstacle> obstacles;      // of Never: what is missing
  std::vector<std::string> conditions;  // what can't be known from the given objects
};

struct QueuedJob {
  std::string_view ns;  // "default" if it names none
  const yaml::Node& job_set;
  const yaml::Node& train_job;
};

Admission admit(const Capacity& capacity, const QueuedJob& job);

// Whether labels fit a label selector (matchLabels, matchExpressions). `labels` may be nullptr.
bool matches_selector(const yaml::Node& selector, const yaml::Node* labels);
// The keys that the selector asks for.
std::set<std::string, std::less<>> keys_of_selector(const yaml::Node& selector);

// Whether a node with these labels is one that the pod's nodeSelector and required node affinity accept, as
// far as they are about `keys`. `labels` may be nullptr.
bool accepts_node(const yaml::Node& pod_spec, const yaml::Node* labels,
                  const std::set<std::string, std::less<>>& keys);

// The first taint of NoSchedule or NoExecute that none of the tolerations covers, as "key=value:effect"; ""
// if there is none. Each may be nullptr.
std::string untolerated_taint(const yaml::Node* taints, const yaml::Node* tolerations_of_pod,
                              const yaml::Node* tolerations_of_flavor);

}  // namespace trainjobc::plan
