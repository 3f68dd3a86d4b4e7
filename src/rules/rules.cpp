// SPDX-License-Identifier: Apache-2.0

#include "rules/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace trainjobc::rules {

const Rule* find_rule(std::string_view id) {
  const std::span<const Rule> all = all_rules();
  const auto found = std::ranges::lower_bound(all, id, {}, &Rule::id);
  return found != all.end() && found->id == id ? &*found : nullptr;
}

// Matches how tools/docs/generate.py names pages and their parts.
std::string address_of(std::string_view page) {
  return fmt::format("{}{}/", TRAINJOBC_DOCUMENTATION, page);
}

std::string page_of(std::string_view id) {
  const size_t slash = id.find('/');
  return fmt::format("{}#{}", address_of(fmt::format("reference/rules/{}", id.substr(0, slash))),
                     id.substr(slash + 1));
}

base::Diagnostic finding(std::string_view id, std::string message, std::string hint,
                         base::Location location) {
  base::Diagnostic diagnostic;
  set_rule(diagnostic, id);
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  diagnostic.location = location;
  return diagnostic;
}

base::Diagnostic team_finding(std::string id, base::Severity severity, std::string message, std::string hint,
                              base::Location location) {
  base::Diagnostic diagnostic;
  diagnostic.rule = std::move(id);
  diagnostic.stage = base::Stage::Advice;
  diagnostic.severity = severity;
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  diagnostic.location = location;
  return diagnostic;
}

void set_rule(base::Diagnostic& diagnostic, std::string_view id) {
  diagnostic.rule = id;
  const Rule* rule = find_rule(id);
  if (!rule) return;
  diagnostic.stage = rule->stage;
  diagnostic.severity = rule->severity;
}

void except(base::Diagnostic& diagnostic) {
  const Rule* rule = find_rule(diagnostic.rule);
  if (!rule) return;
  if (rule->stage == base::Stage::JobSet) diagnostic.severity = base::Severity::Warning;
  if (rule->exception) diagnostic.severity = *rule->exception;
}

void defer(base::Diagnostic& diagnostic) {
  diagnostic.stage = base::Stage::Job;
}

}  // namespace trainjobc::rules
