// Every rule that a diagnostic can carry: its id, what it means, and how bad it is.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/diagnostic.h"

namespace trainjobc::compile {

// One rule. Ids are never reused for another meaning.
struct Rule {
  std::string_view id;  // "input/unknown-field"
  base::Stage stage = base::Stage::Input;
  base::Severity severity = base::Severity::Error;  // unless configured otherwise
  std::string_view summary;                         // one line, without a final stop
  std::string_view explanation;  // a few sentences: why the cluster refuses it or users regret it, what to do
};

// By id, ascending.
std::span<const Rule> all_rules();
const Rule* find_rule(std::string_view id);

}  // namespace trainjobc::compile
