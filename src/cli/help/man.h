// SPDX-License-Identifier: Apache-2.0

// Manual pages, generated from the same descriptions as --help.
#pragma once

#include <string>

#include "cli/command.h"
#include "cli/output/console.h"

namespace trainjobc::cli {

// One page in man(7)'s language: of the root, trainjobc(1), or of a command, trainjobc-render(1).
std::string man_page(const Command& command);

// Writes all pages into a directory. Returns the exit status.
int write_man_pages(const Command& root, const std::string& directory, Console& console);

}  // namespace trainjobc::cli
