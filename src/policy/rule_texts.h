// SPDX-License-Identifier: Apache-2.0

// The explanations of rules, with what they say about plugins.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rules/rules.h"

namespace trainjobc::policy {

// The text for a placeholder of an explanation, read from the plugins' descriptors. nullopt if it is
// unknown.
//   plugins.labels           the framework labels: "torch, jax"
//   plugins.with_processes   the frameworks for which numProcPerNode has an effect: "torch, MPI and Flux"
//   plugins.reserved_env     "A and B for torch; C for MPI"
//   NAME.env_family          of the plugin of that name: "PET_*"
//   NAME.settings            "A, B and C"
std::optional<std::string> plugin_fact(std::string_view placeholder);

// The rule's explanation, its placeholders filled in.
std::string explanation_of(const rules::Rule& rule);

}  // namespace trainjobc::policy
