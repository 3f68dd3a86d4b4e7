// SPDX-License-Identifier: Apache-2.0

// Converts a TrainJob or runtime from any Trainer version to another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "compile/versions.h"
#include "model/dialects.h"
#include "model/train_job.h"
#include "yaml/node.h"

namespace trainjobc::migrate {

// What the other version can't express.
using Losses = std::vector<base::Diagnostic>;

struct ObjectOptions {
  compile::Target target;
  std::string manager;  // of runtimePatches that overrides become: a domain-prefixed path
  // Per node, to be set in spec.trainer: the runtime or a word such as "gpu" set it before.
  std::optional<int64_t> num_processes;
  // Of a runtime: all its TrainJobs get the number that the runtime can no longer set.
  bool processes_known = false;
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
