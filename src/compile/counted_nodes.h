// How many pods a replicatedJob has, where numNodes says so.
#pragma once

#include <string_view>

#include "k8s/violations.h"
#include "yaml/node.h"

namespace trainjobc::compile {

// The rule that made such a count.
inline constexpr std::string_view kPodCountRule = "trainer/pod-count";

// Calls the counts by the name that they have in the input, in messages about a JobSet's Jobs.
void name_num_nodes(const yaml::Node& job_set, k8s::Violations& violations);

}  // namespace trainjobc::compile
