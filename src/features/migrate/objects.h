// SPDX-License-Identifier: Apache-2.0

// Converts a TrainJob or runtime from any Trainer version to another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compile/target.h"
#include "model/dialects.h"
#include "model/train_job.h"
#include "features/migrate/loss.h"
#include "yaml/node.h"

namespace trainjobc::migrate {

struct ObjectOptions {
  compile::Target target;
  std::string manager;  // of runtimePatches that overrides become
  std::optional<int64_t>
      num_processes;  // per node, to be set in spec.trainer: what the runtime or a word set before
  bool processes_known =
      false;  // of a runtime: all its TrainJobs get the number that the runtime can no longer set
};

struct MigratedObject {
  const yaml::Node* root = nullptr;  // the old one if nothing changes
  Losses losses;
};

// The same for an object of a dialect, which becomes one of trainer.kubeflow.org/v1alpha1.
MigratedObject migrate_dialect(const yaml::Node& root, const model::Dialect& dialect,
                               const model::ObjectId& id, const ObjectOptions& options,
                               const yaml::Maker& make);

// `root` must be a TrainJob or runtime that its own version accepts.
MigratedObject migrate_object(const yaml::Node& root, const model::ObjectId& id, const ObjectOptions& options,
                              const yaml::Maker& make);

}  // namespace trainjobc::migrate
