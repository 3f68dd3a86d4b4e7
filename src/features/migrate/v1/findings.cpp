// SPDX-License-Identifier: Apache-2.0

#include "features/migrate/v1/findings.h"

#include <utility>

#include "rules/rules.h"

namespace trainjobc::migrate::v1 {

void V1Findings::add(std::string_view rule, std::string field, std::string message, std::string hint,
                     const yaml::Node* where) {
  items_.push_back(rules::finding(rule, std::move(message), std::move(hint),
                                  where ? yaml::locate(*where) : base::Location()));
  items_.back().field = std::move(field);
}

void V1Findings::lose(std::string field, std::string message, std::string hint, const yaml::Node* where) {
  add("migrate/lost", std::move(field), std::move(message), std::move(hint), where);
  refused_ = true;
}

void V1Findings::change(std::string field, std::string message, std::string hint, const yaml::Node* where) {
  add("advice/v1-difference", std::move(field), std::move(message), std::move(hint), where);
}

void V1Findings::ignore(base::Diagnostic diagnostic) {
  rules::set_rule(diagnostic, "advice/v1-ignored-field");
  items_.push_back(std::move(diagnostic));
}

}  // namespace trainjobc::migrate::v1
