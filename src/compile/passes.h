// SPDX-License-Identifier: Apache-2.0

// The passes of one TrainJob.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "compile/compile.h"
#include "compile/input.h"
#include "compile/runtimes.h"
#include "compile/surroundings.h"
#include "compile/versions.h"
#include "k8s/kubernetes.h"

namespace trainjobc::platform {
class Platform;
}

namespace trainjobc::compile {

// One TrainJob on its way through the passes. Its nodes live in `memory`.
struct JobUnit {
  Target target;
  const k8s::KubernetesBehaviour* kubernetes = &k8s::default_kubernetes();
  const Surroundings* around = nullptr;
  const platform::Platform* platform = nullptr;  // that of its source
  ObjectMemory memory;
  base::Diagnostics diagnostics;
  const yaml::Node* source = nullptr;      // the TrainJob as it was read, with its name
  bool is_as_written = false;              // `source` has the fields of its file
  const yaml::Node* defaulted = nullptr;   // as the API server stores it, if admitted
  model::TrainJob job;                     // decoded if admitted
  const StoredRuntime* runtime = nullptr;  // nullptr if it or the job is rejected, or it is missing
  size_t of_admission = 0;                 // the number of diagnostics of passes 2 and 3
  std::vector<const yaml::Node*> objects;  // of the result, in order
  bool complete = false;                   // no pass was left out, so all rules were checked
  bool has_refused_runtime = false;        // its runtime is refused, so the job could not be checked
};

// Supplies what differs between a job of the inputs and the trial job of a runtime.
struct JobSource {
  // Pass 1. Returns nullopt if there is no TrainJob to compile.
  std::function<std::optional<InputObject>(JobUnit&)> read;
  // Pass 3. Finds the runtime that a job refers to.
  std::function<Resolution(const model::TrainJob&)> resolve;
  // What the jobs must also pass; nullptr: nothing.
  const platform::Platform* platform = nullptr;
  bool is_trial = false;     // what is refused is not looked behind
  bool is_accepted = false;  // all was checked before, and is not checked again
};

// Runs the passes for one TrainJob, in order, up to the first error. If nothing is rendered, also reports
// what later passes would find independently of that error.
void run_passes(JobUnit& unit, const JobSource& source, const Options& options);

}  // namespace trainjobc::compile
