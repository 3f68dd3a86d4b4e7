// SPDX-License-Identifier: Apache-2.0

// The Jobs that the JobSet controller creates for a JobSet.
// Source of the rules: sigs.k8s.io/jobset, pkg/controllers/jobset_controller.go, volume_claim_policy.go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "k8s/jobset/view.h"
#include "yaml/node.h"

namespace trainjobc::k8s::jobset {

// The names of what the JobSet controller creates, and the forms that JobSet's webhook wants them in.
// Source of the rules: k8s.io/apimachinery, pkg/util/validation.

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

// On each Job and pod: the name of the JobSet.
inline constexpr std::string_view kJobSetNameLabel = "jobset.sigs.k8s.io/jobset-name";

// The replicatedJob's template as the controller completes it for the first of its Jobs: with labels and
// annotations of the JobSet, the subdomain, the node selector of exclusive placement, and a volume for each
// claim template that a container mounts. `admitted` is the JobSet; `view` is its view.
const yaml::Node* first_job(const yaml::Node& admitted, const JobSetView& view,
                            const ReplicatedJob& replicated_job, const yaml::Maker& make);

}  // namespace trainjobc::k8s::jobset
