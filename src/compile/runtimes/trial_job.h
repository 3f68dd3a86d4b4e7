// SPDX-License-Identifier: Apache-2.0

// The TrainJob for the trial of a runtime.
#pragma once

#include <cstdint>
#include <optional>

#include "compile/runtimes/runtime_store.h"
#include "model/behaviours.h"
#include "yaml/node.h"

namespace trainjobc::compile {

// A TrainJob of that runtime whose spec.trainer contains only what a job of the runtime must set: an image if
// the runtime has none, limits that its requests lack, Flux's number of nodes. Findings on the job point at
// the runtime's name.
const yaml::Node* trial_job(const StoredRuntime& runtime, const model::Behaviours& behaviours,
                            std::optional<int64_t> num_nodes, const yaml::Maker& make);

}  // namespace trainjobc::compile
