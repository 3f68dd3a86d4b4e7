// SPDX-License-Identifier: Apache-2.0

// The number of a replicatedJob's pods, if numNodes sets it.
#pragma once

#include <string_view>

#include "k8s/violations.h"
#include "yaml/node.h"

namespace trainjobc::compile {

// The rule that computes such a count.
inline constexpr std::string_view kPodCountRule = "trainer/pod-count";

// Replaces the names of such counts in messages about a JobSet's Jobs by their name in the input.
void name_num_nodes(const yaml::Node& job_set, k8s::Violations& violations);

}  // namespace trainjobc::compile
