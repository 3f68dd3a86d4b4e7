// SPDX-License-Identifier: Apache-2.0

// The names of what the JobSet controller creates.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trainjobc::k8s::jobset {

// <jobSet>-<replicatedJob>-<index>
std::string job_name(std::string_view job_set, std::string_view replicated_job, int64_t index);

// The pod's host name and its domain: <job>-<pod>.<subdomain>
std::string pod_address(std::string_view job_name, int64_t pod, std::string_view subdomain);

// <template>-<jobSet>
std::string claim_name(std::string_view claim_template, std::string_view job_set);

}  // namespace trainjobc::k8s::jobset
