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

// Findings on what the other version can't express.
using Losses = std::vector<base::Diagnostic>;

struct ObjectOptions {
  compile::Target target;
  std::string manager;  // for runtimePatches that replace overrides: a domain-prefixed path
  // The number per node to set in spec.trainer, which a runtime or a word such as "gpu" determined before.
  std::optional<int64_t> num_processes;
  // For a runtime: all its TrainJobs get the number that the runtime can no longer set.
  bool processes_known = false;
};

struct MigratedObject {
  const yaml::Node* root = nullptr;  // the old root if nothing changes
  Losses losses;
};

// Converts an object of a dialect into one of trainer.kubeflow.org/v1alpha1.
MigratedObject migrate_dialect(const yaml::Node& root, const model::Dialect& dialect,
                               const model::ObjectId& id, const ObjectOptions& options,
                               const yaml::Maker& make);

// Converts a TrainJob or runtime, which its own version must accept.
MigratedObject migrate_object(const yaml::Node& root, const model::ObjectId& id, const ObjectOptions& options,
                              const yaml::Maker& make);

}  // namespace trainjobc::migrate
