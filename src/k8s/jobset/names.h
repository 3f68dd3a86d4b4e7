// SPDX-License-Identifier: Apache-2.0

// The names of what the JobSet controller creates, and the forms that JobSet's webhook wants them in.
// Source of the rules: k8s.io/apimachinery, pkg/util/validation.
#pragma once

#include <cstddef>
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

inline constexpr size_t kMaxLabel = 63;  // of DNS labels and of label values

// The characters of a DNS-1035 label of any length: lower case letters, digits, dashes; the first is a
// letter, the last is not a dash.
bool has_label_form(std::string_view text);

// The characters of a Kubernetes label value of any length.
bool has_label_value_form(std::string_view text);

bool is_dns1123_subdomain(std::string_view text);

}  // namespace trainjobc::k8s::jobset
