// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "policy/plugin.h"
#include "rules/rules.h"

namespace trainjobc::policy {

base::Diagnostic& Findings::add(std::string_view rule, std::string field, std::string message,
                                const yaml::Node* where, std::string hint) {
  base::Diagnostic diagnostic = rules::finding(rule, std::move(message), std::move(hint));
  diagnostic.field = std::move(field);
  if (where) diagnostic.location = yaml::locate(*where);
  found_.push_back(std::move(diagnostic));
  return found_.back();
}

bool Findings::has_errors() const {
  return std::ranges::any_of(found_,
                             [](const base::Diagnostic& d) { return d.severity == base::Severity::Error; });
}

void Findings::flush(const std::string& object) {
  for (base::Diagnostic& diagnostic : found_) {
    diagnostic.object = object;
    out_->add(std::move(diagnostic));
  }
  found_.clear();
}

}  // namespace trainjobc::policy
