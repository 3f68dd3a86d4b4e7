// SPDX-License-Identifier: Apache-2.0

// What `lint --list-rules` and `lint --explain` print.
#pragma once

#include <string>

#include "cli/output/console.h"

namespace trainjobc::cli {

// One rule per line: id, severity, summary. For a terminal with that many columns; 0: not a terminal.
std::string list_rules(size_t width);

// Prints a rule's explanation; an unknown rule is a usage error with a suggestion. Returns the exit status.
int explain_rule(Console& console, const std::string& id);

}  // namespace trainjobc::cli
