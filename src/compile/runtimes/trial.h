// SPDX-License-Identifier: Apache-2.0

// Checks runtimes that no TrainJob of the inputs uses for what would make the cluster refuse all their jobs.
#pragma once

#include <deque>

#include "base/diagnostic.h"
#include "compile/compile.h"
#include "compile/runtimes/runtime_store.h"
#include "compile/target.h"

namespace trainjobc::compile {

struct Trial {
  Target target;
  const StoredRuntime* runtime = nullptr;
  base::Diagnostics findings;  // about the runtime
};

// Runs the passes for each runtime with a TrainJob that sets only what it must. Findings that another number
// of nodes would fix are left to the jobs. The cluster stores the runtimes anyway, so all findings are of
// stage job.
void run_trials(std::deque<Trial>& trials, const Options& options);

}  // namespace trainjobc::compile
