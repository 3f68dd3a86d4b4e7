// SPDX-License-Identifier: Apache-2.0

// Collects advice.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/diagnostic.h"
#include "schema/validate.h"
#include "yaml/node.h"

namespace trainjobc::compile::advice {

class Advisor {
 public:
  // A warning, or information if the rule's row says so. The reference is valid until the next call.
  base::Diagnostic& warn(std::string_view rule, std::string field, std::string message,
                         const base::Location& where, std::string hint = "");

  k8s::Violations take() { return std::move(found_); }

 private:
  k8s::Violations found_;
};

// Adds a note if the node is in a file.
void add_note(base::Diagnostic& diagnostic, std::string message, const yaml::Node* node);

// The place of a map's key; none if the map has no such key. `map` may be nullptr.
base::Location locate_key_of(const yaml::Node* map, std::string_view key);

}  // namespace trainjobc::compile::advice
