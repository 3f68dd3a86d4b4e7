// SPDX-License-Identifier: Apache-2.0

// The command line as a function.
#pragma once

#include <string>
#include <vector>

#include "cli/console.h"

namespace trainjobc::cli {

// Parses the arguments (without the program's name), runs the command, prints its output through `console`.
// Returns the exit status.
int run(const std::vector<std::string>& arguments, Console& console);

}  // namespace trainjobc::cli
