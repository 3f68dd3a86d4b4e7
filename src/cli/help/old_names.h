// SPDX-License-Identifier: Apache-2.0

// Old names of flags, from when a name meant different things in different commands.
#pragma once

#include <string>
#include <vector>

namespace trainjobc::cli {

// The arguments with the current names of flags.
std::vector<std::string> with_current_names(std::vector<std::string> arguments);

}  // namespace trainjobc::cli
