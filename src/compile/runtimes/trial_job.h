// The TrainJob that a runtime is tried with.
#pragma once

#include <cstdint>
#include <optional>

#include "compile/runtimes/runtime_store.h"
#include "model/behaviours.h"
#include "yaml/node.h"

namespace trainjobc::compile {

// A TrainJob of that runtime with an empty spec.trainer, and in it only what a job of the runtime has to set:
// an image where the runtime has none, limits that its requests lack, Flux's number of nodes. What points at
// the job points at the runtime's name.
const yaml::Node* trial_job(const StoredRuntime& runtime, const model::Behaviours& behaviours,
                            std::optional<int64_t> num_nodes, const yaml::Maker& make);

}  // namespace trainjobc::compile
