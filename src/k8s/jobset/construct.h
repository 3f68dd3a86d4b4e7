// SPDX-License-Identifier: Apache-2.0

// The Jobs that the JobSet controller creates for a JobSet.
// Source of the rules: sigs.k8s.io/jobset, pkg/controllers/jobset_controller.go, volume_claim_policy.go.
#pragma once

#include <string_view>

#include "k8s/jobset/view.h"
#include "yaml/node.h"

namespace trainjobc::k8s::jobset {

// On each Job and pod: the name of the JobSet.
inline constexpr std::string_view kJobSetNameLabel = "jobset.sigs.k8s.io/jobset-name";

// The replicatedJob's template as the controller completes it for the first of its Jobs: with labels and
// annotations of the JobSet, the subdomain, the node selector of exclusive placement, and a volume for each
// claim template that a container mounts. `admitted` is the JobSet; `view` is its view.
const yaml::Node* first_job(const yaml::Node& admitted, const JobSetView& view,
                            const ReplicatedJob& replicated_job, const yaml::Maker& make);

}  // namespace trainjobc::k8s::jobset
