// SPDX-License-Identifier: Apache-2.0

// How much of a flavor's resource a ClusterQueue can use if nothing else does.
// Source of the rules: Kueue 0.15, pkg/cache/scheduler/resource_node.go.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "features/plan/quota/quota.h"

namespace trainjobc::plan {

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

}  // namespace trainjobc::plan
