// SPDX-License-Identifier: Apache-2.0

#include "k8s/jobset/names.h"

#include <fmt/format.h>

namespace trainjobc::k8s::jobset {

std::string job_name(std::string_view job_set, std::string_view replicated_job, int64_t index) {
  return fmt::format("{}-{}-{}", job_set, replicated_job, index);
}

std::string pod_address(std::string_view job_name, int64_t pod, std::string_view subdomain) {
  return fmt::format("{}-{}.{}", job_name, pod, subdomain);
}

std::string claim_name(std::string_view claim_template, std::string_view job_set) {
  return fmt::format("{}-{}", claim_template, job_set);
}

}  // namespace trainjobc::k8s::jobset
