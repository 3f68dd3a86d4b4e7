// SPDX-License-Identifier: Apache-2.0

// Runs that take from the runs before them what has not changed.
#pragma once

#include <optional>
#include <vector>

#include "compile/compile.h"
#include "compile/reuse/job_cache.h"
#include "compile/reuse/read_cache.h"
#include "compile/reuse/runtime_cache.h"

namespace trainjobc::compile {

struct RunCache {
  std::optional<Options> options;  // of the last run; a run with others takes nothing
  ReadCache files;
  RuntimeCache runtimes;
  JobCache jobs;

  // Forgets what the last run did not use.
  void forget_unused() {
    files.forget_unused();
    runtimes.forget_unused();
    jobs.forget_unused();
  }
};

// The findings that compile_in_passing has. What earlier runs with the cache found is taken from there if
// nothing it depends on has changed.
Compilation find_again(std::vector<Source> inputs, std::vector<Source> runtimes, const Options& options,
                       RunCache& cache);

}  // namespace trainjobc::compile
