// SPDX-License-Identifier: Apache-2.0

// Annotations that kubectl and JobSet give a meaning.
#pragma once

#include <string_view>

namespace trainjobc::k8s {

// What kubectl apply last applied; for a Secret, including its values.
inline constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

// On a replicatedJob's template: each Job has the nodes of a domain to itself; with the second one, the nodes
// that are labelled with its name.
inline constexpr std::string_view kExclusiveTopology = "alpha.jobset.sigs.k8s.io/exclusive-topology";
inline constexpr std::string_view kNodeSelector = "alpha.jobset.sigs.k8s.io/node-selector";

}  // namespace trainjobc::k8s
