// SPDX-License-Identifier: Apache-2.0

// Objects that contain a v1 job: Katib's Experiments, in their trial template, and AppWrappers.
#pragma once

#include <vector>

#include "base/diagnostic.h"
#include "features/migrate/v1/convert.h"
#include "model/v1_kinds.h"
#include "yaml/node.h"

namespace trainjobc::migrate::v1 {

// The job of the Experiment's trials; nullptr for other objects.
const yaml::Node* trial_job(const yaml::Node& object);

// The Experiment with the TrainJob that its trial job was converted to; findings on its references to that
// job's pods and status are added to `converted`. nullptr if these can't be expressed for a TrainJob.
const yaml::Node* with_trial_job(const yaml::Node& experiment, const model::V1Kind& kind,
                                 const yaml::Node& train_job, const yaml::Maker& make, Converted& converted);

// The components of an AppWrapper, as objects of their own.
struct Wrapped {
  const yaml::Node* job = nullptr;
  std::vector<const yaml::Node*> others;
};

// The v1 job of an AppWrapper whose other components have no pods, with the AppWrapper's namespace and
// labels; no job for other objects.
Wrapped wrapped_job(const yaml::Node& object, const yaml::Maker& make);

// The finding on what such a job, and other components if there are any, lose.
base::Diagnostic unwrapping(const yaml::Node& wrapper, bool has_others);

}  // namespace trainjobc::migrate::v1
