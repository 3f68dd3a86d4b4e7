// SPDX-License-Identifier: Apache-2.0

// The pods of a JobSet.
#pragma once

#include <string>
#include <vector>

#include "k8s/jobset/view.h"
#include "features/plan/plan.h"

namespace trainjobc::plan {

// How many pods a Job of the replicatedJob runs side by side.
int64_t pods_per_job(const k8s::jobset::ReplicatedJob& job);

// What one pod requests, as the API server stores it: a limit without a request is one.
Amounts requests_of_pod(const yaml::Node& pod_spec);

PodSet pod_set_of(const k8s::jobset::JobSetView& view, const k8s::jobset::ReplicatedJob& job);

// The host name of a pod: "llama-node-0-1.llama".
std::string host_of(const k8s::jobset::JobSetView& view, const k8s::jobset::ReplicatedJob& job,
                    int64_t job_index, int64_t pod);

}  // namespace trainjobc::plan
