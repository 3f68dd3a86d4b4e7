// SPDX-License-Identifier: Apache-2.0

#include "k8s/jobset/names.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/ascii.h"
#include "k8s/name_syntax.h"

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

using base::is_lower;
using base::is_lower_alnum;

bool has_label_form(std::string_view text) {
  return is_dns_label(text) && is_lower(text.front());
}

bool has_label_value_form(std::string_view text) {
  return text.empty() || is_name_part(text);
}

bool is_dns1123_subdomain(std::string_view text) {
  constexpr size_t kMaxSubdomain = 253;
  return text.size() <= kMaxSubdomain && is_dns_subdomain(text);
}

}  // namespace trainjobc::k8s::jobset
