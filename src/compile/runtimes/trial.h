// Runtimes that no TrainJob of the inputs uses: what every job of theirs would be refused for.
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

// Takes each runtime through the passes of a TrainJob that sets nothing but what a job has to. What another
// number of nodes would mend is left to the jobs. The cluster stores the runtimes all the same, so that all
// findings are of stage job.
void run_trials(std::deque<Trial>& trials, const Options& options);

}  // namespace trainjobc::compile
