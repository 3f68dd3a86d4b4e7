// SPDX-License-Identifier: Apache-2.0

// Which flavor each pod set of a job gets for each resource, and how much of it its ClusterQueue can use.
// Source of the rules: Kueue 0.15, pkg/scheduler/flavorassigner, pkg/cache/scheduler/resource_node.go.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "features/plan/quota/admit.h"
#include "features/plan/quota/quota.h"
#include "yaml/node.h"

namespace trainjobc::plan {

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

class Capacity {
 public:
  explicit Capacity(const Quota& quota) : quota_(quota) {}

  // With all that its cohorts lend, up to its own and their borrowing limits.
  Units most(const ClusterQueue& queue, const FlavorResource& of) const;
  // How far up the cohorts it has to borrow for this amount: 0 if its own quota is enough.
  int borrowing_height(const ClusterQueue& queue, const FlavorResource& of, Units amount) const;
  // The cohorts that are parents of each other, from `name` on; empty if they form a tree.
  std::vector<std::string> cycle_from(const std::string& name) const;

 private:
  Units subtree_quota(const std::string& cohort, const FlavorResource& of) const;
  Units most_of_cohort(const std::string& cohort, const FlavorResource& of) const;
  int height(const std::string& cohort) const;

  const Quota& quota_;
};

struct Assignment {
  std::vector<AssignedFlavor> flavors;
  std::vector<Obstacle> obstacles;  // empty: all fits
};

// Of an active ClusterQueue whose quota is idle, and that of its cohorts.
Assignment assign_flavors(const Quota& quota, const ClusterQueue& queue, std::vector<QueuedPodSet> sets);

}  // namespace trainjobc::plan
