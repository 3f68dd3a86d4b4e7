// SPDX-License-Identifier: Apache-2.0

// The explanations of rules, with what they say about plugins and launchers.
#pragma once

#include <string>

#include "rules/rules.h"

namespace trainjobc::compile {

// The rule's explanation. Its placeholders are those of policy::plugin_fact, and
//   launchers.names      "torchrun, tune run, accelerate"
//   launchers.versions   on which their rows were seen to be true: "torch 2.15.0, accelerate 1.15.0"
std::string explanation_of(const rules::Rule& rule);

}  // namespace trainjobc::compile
