// SPDX-License-Identifier: Apache-2.0

// The resource requests of a pod, and their sums over a gang.
// Source of the rules: k8s.io/component-helpers/resource, PodRequests.
#pragma once

#include <map>
#include <string_view>

#include "k8s/quantity.h"
#include "policy/runtime_info.h"

namespace trainjobc::policy {

using ResourceTotals = std::map<std::string_view, k8s::Quantity>;

// Requests of one pod: containers and sidecars together, or the init containers if those need more; replaced
// by pod-level requests for cpu, memory and huge pages; plus the overhead. Limits don't count.
ResourceTotals pod_requests(const yaml::Node& pod_spec);

struct Gang {
  int64_t members = 0;
  ResourceTotals resources;
};

// All pods of the job; as in the controller, replicas of a replicatedJob don't count.
Gang gang_of(const RuntimeInfo& info);

// The totals as a node: {cpu: "8", memory: 4Gi}; {} if there are none.
const yaml::Node* to_node(const yaml::Maker& make, const ResourceTotals& totals, yaml::Origin origin);

}  // namespace trainjobc::policy
