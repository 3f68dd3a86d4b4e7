// SPDX-License-Identifier: Apache-2.0

// What the JobSet shows about its job.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "yaml/node.h"

namespace trainjobc::compile::advice {

// The text as a number; nullopt if it is anything else.
std::optional<int64_t> to_number(std::string_view text);

// The container `node` of the replicatedJob of that name; nullptr if there is none.
const yaml::Node* rendered_node(const yaml::Node& job_set, std::string_view replicated_job);

// The number in that variable, of the first container `node` in the JobSet that has it.
std::optional<int64_t> rendered_number(const yaml::Node& job_set, std::string_view variable);

}  // namespace trainjobc::compile::advice
