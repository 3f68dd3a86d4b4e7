// SPDX-License-Identifier: Apache-2.0

// The passes of one TrainJob.
#pragma once

#include <optional>
#include <vector>

#include "compile/compile.h"
#include "compile/input/input.h"
#include "compile/runtimes/runtime_store.h"
#include "compile/target.h"

namespace trainjobc::compile {

// One TrainJob on its way. Its nodes live in `memory`.
struct JobUnit {
  Target target;
  ObjectMemory memory;
  base::Diagnostics diagnostics;
  const yaml::Node* source = nullptr;      // the TrainJob as it was read, with its name
  bool is_as_written = false;              // `source` has the fields of its file
  model::TrainJob job;                     // decoded if admitted
  const StoredRuntime* runtime = nullptr;  // nullptr if it or the job is rejected, or it is missing
  std::vector<const yaml::Node*> objects;  // of the result, in order
  bool complete = false;                   // no pass was left out, so all rules were checked
};

// Passes 2 and 3: admits the TrainJob for the unit's target, and resolves its runtime.
void admit_job(JobUnit& unit, const InputObject& object, const Options& options, RuntimeStore& store);

// Passes 4 to 7: merge, the webhook's rules, expand, build, admission of the JobSet.
void render_job(JobUnit& unit, const Options& options);

}  // namespace trainjobc::compile
