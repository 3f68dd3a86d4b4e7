// SPDX-License-Identifier: Apache-2.0

// trainjobc graph, with the programs it runs exchangeable for tests.
#pragma once

#include <string>

#include "base/process.h"
#include "cli/common_options.h"
#include "cli/output/console.h"

namespace trainjobc::cli {

struct GraphFlags {
  InputFlags input;
  ColourFlag colour;
  std::string format = "mermaid";
};

// 0: drawn; 1: an input was rejected; 2: usage, I/O, no Graphviz.
int run_graph(Console& console, const GraphFlags& flags, base::ProcessRunner& runner);

}  // namespace trainjobc::cli
