// SPDX-License-Identifier: Apache-2.0

// Every rule that a diagnostic can have: its id, what it means, and how severe it is. The build turns the
// pages of rules/ into this table; nothing else sets a finding's stage or severity.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace trainjobc::rules {

// One rule. Ids are never reused for another meaning.
struct Rule {
  std::string_view id;  // "input/unknown-field"
  base::Stage stage = base::Stage::Input;
  base::Severity severity = base::Severity::Error;  // unless configured otherwise
  std::string_view summary;                         // one line, without a final stop
  // A few sentences: why the cluster refuses it or what goes wrong later, and what to do; after an empty line
  // an example may follow. {NAME.FACT} is a fact about a plugin, which compile::explanation_of fills in.
  std::string_view explanation_template;
  std::optional<base::Severity> exception;  // the severity in the one context that the rule's page names
};

// Sorted by id.
std::span<const Rule> all_rules();
const Rule* find_rule(std::string_view id);
// The address of a page of the site, such as "from-v1".
std::string address_of(std::string_view page);
// The address of the section that explains the rule.
std::string page_of(std::string_view id);

// A finding of that rule, with stage and severity set.
base::Diagnostic finding(std::string_view id, std::string message = "", std::string hint = "",
                         base::Location location = {});
// A finding of a team's own rule, which has no page and states its severity itself.
base::Diagnostic team_finding(std::string id, base::Severity severity, std::string message, std::string hint,
                              base::Location location);
// Makes it a finding of another rule.
void set_rule(base::Diagnostic& diagnostic, std::string_view id);
// Gives it the severity of its rule's exception, if it has one. A finding on a JobSet becomes a warning:
// another cluster creates it.
void except(base::Diagnostic& diagnostic);
// Marks a finding on a runtime that its jobs will cause later: the cluster refuses no object for it yet.
void defer(base::Diagnostic& diagnostic);

}  // namespace trainjobc::rules
