// SPDX-License-Identifier: Apache-2.0

// The pods of a JobSet, and what they request.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "k8s/jobset/jobset.h"
#include "k8s/quantity.h"

namespace trainjobc::objects {

// Amounts by resource, such as "nvidia.com/gpu".
using Amounts = std::map<std::string, k8s::Quantity, std::less<>>;

void add(Amounts& sum, const Amounts& more);
Amounts times(Amounts amounts, int64_t factor);
// The resources, devices first, then CPU, memory, storage, others.
std::vector<std::string> in_order(const Amounts& amounts);

// The pods of a replicatedJob.
struct PodSet {
  std::string name;   // the replicatedJob's
  int64_t pods = 0;   // of all its Jobs
  Amounts per_pod;    // the requests of one pod
  std::string hosts;  // "llama-node-0-{0..3}.llama", for a shell to expand; "" without pods
};

// How limits of a pod as a whole count if it has no such requests.
enum class PodLimits : uint8_t {
  AreRequests,  // even if its containers request less
  FillIn,       // only if no container has a request, as the API server fills them in
  DontCount,
};

// What one pod requests, as the API server stores it: a limit without a request counts as one.
Amounts requests_of_pod(const yaml::Node& pod_spec, PodLimits limits = PodLimits::FillIn);

PodSet pod_set_of(const k8s::jobset::JobSetView& view, const k8s::jobset::ReplicatedJob& job);

// Whether pods find each other by host names, which is the default.
bool has_host_names(const k8s::jobset::JobSetView& view);
// The host name of a pod: "llama-node-0-1.llama".
std::string host_of(const k8s::jobset::JobSetView& view, const k8s::jobset::ReplicatedJob& job,
                    int64_t job_index, int64_t pod);

// How many pods a JobSet has, and what they request together.
struct Demand {
  int64_t pods = 0;
  Amounts requests;
};
Demand demand_of(const yaml::Node& job_set);
// What a JobSet has and requests more than it did; either may be nullptr. Less is negative.
Demand demand_change(const yaml::Node* before, const yaml::Node* after);

}  // namespace trainjobc::objects
