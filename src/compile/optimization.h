// SPDX-License-Identifier: Apache-2.0

// OptimizationJobs: their admission, and the TrainJobs of their trials.
#pragma once

#include <deque>
#include <vector>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "compile/compile.h"
#include "compile/input.h"
#include "compile/versions.h"

namespace trainjobc::compile {

// The first trials of the inputs' OptimizationJobs, as many as run at a time.
struct Trials {
  base::Arena arena;
  std::deque<InputObject> jobs;  // TrainJobs; the trials of a job differ only in their names
  std::vector<Object> objects;   // the OptimizationJobs with their defaults, if Options asks for them
  base::Diagnostics diagnostics;
};

// Admits each OptimizationJob and makes its trials. It has none if its Trainer version lacks the kind.
void make_trials(const InputSet& inputs, const VersionChoice& versions, const Options& options,
                 Trials& trials);

// Turns findings on a trial into findings on its OptimizationJob. The cluster stores that anyway and refuses
// the trials when they are created, so none is a refusal. Only the first trial's are kept.
void report_on_template(const InputObject& trial, base::Diagnostics& found);

}  // namespace trainjobc::compile
