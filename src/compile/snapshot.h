// SPDX-License-Identifier: Apache-2.0

// Runtime snapshots: Trainer 2.3 stores the runtime of a new TrainJob in a ConfigMap, and uses that one from
// then on.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "compile/input/input.h"
#include "model/train_job.h"

namespace trainjobc::compile {

inline constexpr std::string_view kSnapshotSuffix = "-runtime-snapshot";
// The TrainJob's name with the suffix.
std::string snapshot_name(const model::TrainJob& job);

// The ConfigMap with the runtime, encoded as Go encodes it, as YAML.
const yaml::Node* build_snapshot(const model::TrainJob& job, const yaml::Node& encoded_runtime,
                                 const yaml::Maker& make);

// The runtime in a snapshot of the job. nullopt, with a diagnostic, if the controller would refuse it:
// another TrainJob owns it, it can't be read, or it contains another runtime than the job refers to. Nodes
// live in `memory`; their lines are those of the snapshot's text.
std::optional<InputObject> read_snapshot(const yaml::Node& config_map, const model::TrainJob& job,
                                         InputSet& memory, base::Diagnostics& diagnostics);

}  // namespace trainjobc::compile
