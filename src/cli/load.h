// From the paths of a command line to sources.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/console.h"
#include "trainjobc/trainjobc.h"

namespace trainjobc::cli {

// What reports call standard input.
inline constexpr std::string_view kStdin = "<stdin>";

// Reads files, the .yaml, .yml and .json files of directories, and standard input ("-"). The sources are
// sorted by name, each file once, so that the order of the arguments doesn't matter.
base::IoResult<std::vector<Source>> load_sources(Console& console, const std::vector<std::string>& paths,
                                                 bool recurse);

}  // namespace trainjobc::cli
