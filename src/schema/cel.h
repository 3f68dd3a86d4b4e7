// SPDX-License-Identifier: Apache-2.0

// The CEL rules of the schemas, each known by its text and written as a function.
#pragma once

#include <string>
#include <string_view>

#include "yaml/node.h"

namespace trainjobc::schema {

// The outcome of one rule on one value.
struct CelOutcome {
  bool holds = true;
  std::string hint;                     // what to write instead
  const yaml::Node* culprit = nullptr;  // the place to report, if not the value itself
  std::string problem;  // the words after the field's name in the message: "must be at least 1"
  std::string better;   // a text for the place, which the hint names; "" if there is none
};

// Whether the code knows the rule. The schema tables contain no others: tools/schemagen checks that.
bool knows_cel_rule(std::string_view rule);

// Evaluates a rule for a creation.
CelOutcome evaluate_cel(std::string_view rule, const yaml::Node& self);

}  // namespace trainjobc::schema
