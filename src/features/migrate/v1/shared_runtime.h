// SPDX-License-Identifier: Apache-2.0

// Splits a runtime into a part that a TrainJob can set itself and the rest, so that jobs can share runtimes.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "features/migrate/v1/draft.h"
#include "schema/schema.h"
#include "yaml/node.h"

namespace trainjobc::migrate::v1 {

// What a TrainJob can set in one replicatedJob. A node is nullptr if it isn't set.
struct RoleSettings {
  std::string_view job;                  // the replicatedJob
  bool trains = false;                   // spec.trainer configures it
  Entries trainer;                       // image, command, args, env, resources of its container "node"
  Entries container;                     // fields of that container that a patch can set
  Entries pod;                           // fields of the pod's spec that a patch can set
  const yaml::Node* metadata = nullptr;  // labels and annotations of the pod

  bool is_patch() const { return !container.empty() || !pod.empty() || metadata; }
};

struct SplitRuntime {
  const yaml::Node* rest = nullptr;    // a runtime's spec without the settings
  std::vector<RoleSettings> settings;  // one per replicatedJob
};

// In a new runtime for MPI, the pods' group, which may read the key, belongs to `rest`, although a job could
// patch it, too.
enum class RuntimeUse { Known, New };

// `spec` is a runtime's; `train_job` is the schema of a TrainJob, which says what a patch may set. Leaves
// defaults out of `rest`, which a runtime may or may not spell out.
SplitRuntime split_runtime(const yaml::Node& spec, const schema::Schema& train_job, const yaml::Maker& make,
                           RuntimeUse use = RuntimeUse::Known);

// What a TrainJob has to set to get `wanted` with the runtime `candidate`; nullopt if that is impossible.
std::optional<std::vector<RoleSettings>> needed_settings(const SplitRuntime& wanted,
                                                         const SplitRuntime& candidate,
                                                         const yaml::Maker& make);

}  // namespace trainjobc::migrate::v1
