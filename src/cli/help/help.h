// What `--help` prints.
#pragma once

#include <string>
#include <string_view>

#include "cli/cli11_fwd.h"

namespace trainjobc::cli {

// For a terminal of that many columns; 0 for no terminal.
std::string help_text(const CLI::App& app, size_t terminal);

// What the program prints if it is called without a command.
std::string short_help(const CLI::App& app, size_t terminal);

// The words of one paragraph in lines of at most `width` columns, each after the first begun with `indent`
// spaces.
std::string fill(std::string_view text, size_t width, size_t indent);

}  // namespace trainjobc::cli
