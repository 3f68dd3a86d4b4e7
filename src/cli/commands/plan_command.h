// SPDX-License-Identifier: Apache-2.0

// trainjobc plan, with the programs it runs exchangeable for tests.
#pragma once

#include <string>
#include <vector>

#include "base/process.h"
#include "cli/common_options.h"
#include "cli/output/console.h"

namespace trainjobc::cli {

struct PlanFlags {
  InputFlags input;
  ColourFlag colour;
  std::vector<std::string> quota;
  bool cluster = false;
  std::string context;
  std::string kubeconfig;
  unsigned timeout = 0;  // seconds
  bool ranks = false;
  std::string format = "text";
};

// 0: planned; 1: an input was rejected, or a job can never be admitted; 2: usage, I/O, kubectl.
int run_plan(Console& console, const PlanFlags& flags, base::ProcessRunner& runner);

}  // namespace trainjobc::cli
