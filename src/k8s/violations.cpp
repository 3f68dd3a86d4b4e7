// SPDX-License-Identifier: Apache-2.0

#include "k8s/violations.h"

#include "k8s/value_text.h"
#include "rules/rules.h"

namespace trainjobc::k8s {

base::Diagnostic& Report::add_at(base::Location place, std::string_view rule, const Field& field,
                                 std::string message, std::string hint) {
  base::Diagnostic& diagnostic =
      violations_->emplace_back(rules::finding(rule, std::move(message), std::move(hint), place));
  diagnostic.field = field.path();
  return diagnostic;
}

std::string quoted(const Field& field) {
  return field ? quoted(*field.node()) : "\"\"";
}

}  // namespace trainjobc::k8s
