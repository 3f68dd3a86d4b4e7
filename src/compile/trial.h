// SPDX-License-Identifier: Apache-2.0

// Checks runtimes that no TrainJob of the inputs uses for what would make the cluster refuse all their jobs.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "base/diagnostic.h"
#include "compile/compile.h"
#include "compile/runtimes.h"
#include "compile/versions.h"
#include "model/behaviours.h"
#include "yaml/node.h"

namespace trainjobc::compile {

// A TrainJob of that runtime whose spec.trainer contains only what a job of the runtime must set: an image if
// the runtime has none, limits that its requests lack, Flux's number of nodes. Findings on the job point at
// the runtime's name.
const yaml::Node* trial_job(const StoredRuntime& runtime, const model::Behaviours& behaviours,
                            std::optional<int64_t> num_nodes, const yaml::Maker& make);

// Runs the passes for each runtime with a TrainJob that sets only what it must. Findings that another number
// of nodes would fix are left to the jobs. The cluster stores the runtimes anyway, so all findings are of
// stage job.
void run_trials(std::deque<Trial>& trials, const Options& options);

}  // namespace trainjobc::compile
