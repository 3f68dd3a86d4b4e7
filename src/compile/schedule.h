// Runs the jobs of a compilation on all processors.
#pragma once

#include <deque>

#include "compile/render_job.h"

namespace trainjobc::compile {

// Calls render_job for every unit that has a runtime. Units share nothing that is written to, so the result
// does not depend on the number of threads.
void run_all(std::deque<JobUnit>& units, const Options& options);

}  // namespace trainjobc::compile
