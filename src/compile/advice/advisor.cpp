// SPDX-License-Identifier: Apache-2.0

#include "compile/advice/advisor.h"

#include "rules/rules.h"

namespace trainjobc::compile::advice {

base::Diagnostic& Advisor::warn(std::string_view rule, std::string field, std::string message,
                                const base::Location& where, std::string hint) {
  base::Diagnostic& diagnostic =
      found_.emplace_back(rules::finding(rule, std::move(message), std::move(hint), where));
  diagnostic.field = std::move(field);
  return diagnostic;
}

void add_note(base::Diagnostic& diagnostic, std::string message, const yaml::Node* node) {
  const base::Location where = node ? yaml::locate(*node) : base::Location{};
  if (where.file) diagnostic.notes.push_back({std::move(message), where});
}

base::Location locate_key_of(const yaml::Node* map, std::string_view key) {
  const yaml::Entry* entry = map ? map->find(key) : nullptr;
  return entry ? yaml::locate_key(*entry) : base::Location{};
}

}  // namespace trainjobc::compile::advice
