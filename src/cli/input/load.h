// SPDX-License-Identifier: Apache-2.0

// Loads the files named on the command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/input/discover.h"
#include "cli/output/console.h"
#include "compile/compile.h"

namespace trainjobc::cli {

struct Loaded {
  std::vector<Source> sources;
  std::vector<std::string> directories;  // among the paths
  std::vector<PassedOver> passed_over;   // files that were not read
  std::vector<std::string> excluded;     // of these, the ones named on the command line
};

// Reads files, the manifests of directories, and standard input ("-"). The sources are sorted by name, each
// file once, so that the order of the arguments doesn't matter.
base::IoResult<Loaded> load_sources(Console& console, const std::vector<std::string>& paths,
                                    const DiscoverOptions& options);

}  // namespace trainjobc::cli
