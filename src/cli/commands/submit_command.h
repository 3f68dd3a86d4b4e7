// SPDX-License-Identifier: Apache-2.0

// trainjobc submit; tests can replace the programs that it runs, and the clock.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/process.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/ssh_key.h"

namespace trainjobc::cli {

struct SubmitFlags {
  InputFlags input;
  ColourFlag colour;
  SshKeyFlag ssh_key;
  std::string context;
  std::string kubeconfig;
  std::string dry_run;  // "", "client" or "server"
  bool force_conflicts = false;
  bool replace = false;
  bool wait = false;
  bool cancel_on_interrupt = false;
  unsigned timeout = 0;  // seconds; 0: none
};

// How submit runs kubectl and waits.
struct SubmitSystem {
  base::ProcessRunner& runner;
  base::Clock& clock;
};

// 0: everything is in place; 1: an input was rejected, or with --wait a JobSet failed; 2: usage, I/O,
// kubectl, timeout; 128 + the number of an ignored signal that was received during --wait.
int run_submit(Console& console, SubmitFlags flags, const SubmitSystem& system);

}  // namespace trainjobc::cli
