// SPDX-License-Identifier: Apache-2.0

// Runtime snapshots: Trainer 2.3 stores the runtime of a new TrainJob in a ConfigMap, and uses that copy from
// then on.
#pragma once

#include <optional>
#include <string>

#include "compile/input.h"
#include "model/train_job.h"
#include "yaml/node.h"

namespace trainjobc::compile {

// The name of the job's snapshot: the name of the TrainJob with a suffix.
std::string snapshot_name(const model::TrainJob& job);

// The ConfigMap that contains the runtime as YAML, as Go encodes it.
const yaml::Node* build_snapshot(const model::TrainJob& job, const yaml::Node& encoded_runtime,
                                 const yaml::Maker& make);

// The runtime in a snapshot of the job. nullopt, with a diagnostic, if the controller would refuse it:
// another TrainJob owns it, it can't be read, or it contains a runtime that the job doesn't refer to. Nodes
// live in `memory`; their lines are those of the snapshot's text.
std::optional<InputObject> read_snapshot(const yaml::Node& config_map, const model::TrainJob& job,
                                         InputSet& memory, base::Diagnostics& diagnostics);

}  // namespace trainjobc::compile
