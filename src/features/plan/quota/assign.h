// SPDX-License-Identifier: Apache-2.0

// Which flavor each pod set gets for each resource.
// Source of the rules: Kueue 0.15, pkg/scheduler/flavorassigner.
#pragma once

#include <vector>

#include "features/plan/quota/admissibility.h"
#include "features/plan/quota/podsets.h"
#include "features/plan/quota/quota.h"

namespace trainjobc::plan {

struct Assignment {
  std::vector<AssignedFlavor> flavors;
  std::vector<Obstacle> obstacles;  // empty: all fits
};

// Of an active ClusterQueue whose quota is idle, and that of its cohorts.
Assignment assign_flavors(const Quota& quota, const ClusterQueue& queue, std::vector<QueuedPodSet> sets);

}  // namespace trainjobc::plan
