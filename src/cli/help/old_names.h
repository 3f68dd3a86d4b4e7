// Flags under the names that they had before each name meant one thing in every command.
#pragma once

#include <string>
#include <vector>

namespace trainjobc::cli {

// The arguments with today's names of flags.
std::vector<std::string> with_current_names(std::vector<std::string> arguments);

}  // namespace trainjobc::cli
