// SPDX-License-Identifier: Apache-2.0

// What `--help`, the manual pages and the lists of rules print.
#pragma once

#include <string>
#include <string_view>

#include "cli/command.h"
#include "cli/console.h"

namespace trainjobc::cli {

// For a terminal with that many columns; 0: not a terminal.
std::string help_text(const Command& command, size_t terminal);

// What the program prints without a command.
std::string short_help(const Command& command, size_t terminal);

// The words of one paragraph in lines of at most `width` columns; lines after the first are indented by
// `indent` spaces.
std::string fill(std::string_view text, size_t width, size_t indent);

// Manual pages, generated from the same descriptions as --help.

// One page in man(7)'s language: of the root, trainjobc(1), or of a command, trainjobc-render(1).
std::string man_page(const Command& command);

// Writes all pages into a directory. Returns the exit status.
int write_man_pages(const Command& root, const std::string& directory, Console& console);

// What `lint --list-rules` and `lint --explain` print.

// One rule per line: id, severity, summary. For a terminal with that many columns; 0: not a terminal.
std::string list_rules(size_t width);

// Prints a rule's explanation; an unknown rule is a usage error with a suggestion. Returns the exit status.
int explain_rule(Console& console, const std::string& id);

// The JSON Schemas that are installed.

// One file for each kind of each Trainer version. Returns the exit status; what failed has been reported.
int write_schemas(const std::string& directory, Console& console);

}  // namespace trainjobc::cli
