// SPDX-License-Identifier: Apache-2.0

// Which part of a runtime a TrainJob can set itself, so that jobs share runtimes.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "features/migrate/v1/draft.h"
#include "schema/schema.h"
#include "yaml/node.h"

namespace trainjobc::migrate::v1 {

// What a TrainJob can set in one replicatedJob. Nodes are nullptr for what is not set.
struct RoleSettings {
  std::string_view job;                  // the replicatedJob
  bool trains = false;                   // spec.trainer is about it
  Entries trainer;                       // image, command, args, env, resources of its container "node"
  Entries container;                     // of that container: fields that a patch can set
  Entries pod;                           // fields of the pod's spec that a patch can set
  const yaml::Node* metadata = nullptr;  // labels and annotations of the pod

  bool is_patch() const { return !container.empty() || !pod.empty() || metadata; }
};

struct SplitRuntime {
  const yaml::Node* rest = nullptr;    // a runtime's spec without the settings
  std::vector<RoleSettings> settings;  // by replicatedJob
};

// Of a new runtime of MPI, the group of its pods, which may read their key, is a part of `rest` that a job
// could patch, too.
enum class RuntimeUse { Known, New };

// `spec` is a runtime's; `train_job` the schema of a TrainJob, which knows what a patch may set. Defaults
// that a runtime may or may not spell out are left out of `rest`.
SplitRuntime split_runtime(const yaml::Node& spec, const schema::Schema& train_job, const yaml::Maker& make,
                           RuntimeUse use = RuntimeUse::Known);

// What a TrainJob has to set so that the runtime `candidate` becomes `wanted`; nullopt if it can't.
std::optional<std::vector<RoleSettings>> needed_settings(const SplitRuntime& wanted,
                                                         const SplitRuntime& candidate,
                                                         const yaml::Maker& make);

}  // namespace trainjobc::migrate::v1
