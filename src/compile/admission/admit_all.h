// Passes 2 and 3 over all inputs: admits the runtimes and the TrainJobs, resolves each job's runtime.
#pragma once

#include <deque>
#include <memory>
#include <set>

#include "compile/compile.h"
#include "compile/input/input.h"
#include "compile/render_job.h"
#include "compile/runtimes/runtime_store.h"
#include "compile/runtimes/trial.h"
#include "compile/versions/version_plan.h"

namespace trainjobc::compile {

// The runtimes under one Trainer version.
struct Library {
  Target target;
  base::Diagnostics diagnostics;
  std::unique_ptr<RuntimeStore> store;
};

// What came of it. Units point into the libraries.
struct AdmittedInputs {
  std::deque<Library> libraries;  // one a Trainer version in use
  std::deque<JobUnit> units;      // one a TrainJob, in the order of the inputs
  std::deque<Trial> trials;       // of the inputs' runtimes without a TrainJob, where nothing is rendered
  base::Diagnostics diagnostics;  // of the runtimes; those of the jobs are in their units
  std::set<const InputObject*> refused;
};

std::unique_ptr<AdmittedInputs> admit_all(const InputSet& inputs, const InputSet& runtimes,
                                          const VersionPlan& plan, const Options& options);

}  // namespace trainjobc::compile
