// SPDX-License-Identifier: Apache-2.0

// What `--help` prints.
#pragma once

#include <string>
#include <string_view>

#include "cli/command.h"

namespace trainjobc::cli {

// For a terminal with that many columns; 0: not a terminal.
std::string help_text(const Command& command, size_t terminal);

// What the program prints without a command.
std::string short_help(const Command& command, size_t terminal);

// The words of one paragraph in lines of at most `width` columns; lines after the first are indented by
// `indent` spaces.
std::string fill(std::string_view text, size_t width, size_t indent);

}  // namespace trainjobc::cli
