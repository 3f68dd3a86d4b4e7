// SPDX-License-Identifier: Apache-2.0

// A job's pods as Kueue sees them.
#pragma once

#include <map>
#include <string>
#include <vector>

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

}  // namespace trainjobc::plan
