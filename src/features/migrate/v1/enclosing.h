// SPDX-License-Identifier: Apache-2.0

// Objects around a v1 job: Katib's Experiments, whose trial template is one, and AppWrappers.
#pragma once

#include "base/diagnostic.h"
#include "features/migrate/v1/convert.h"
#include "model/v1_kinds.h"
#include "yaml/node.h"

namespace trainjobc::migrate::v1 {

// The job of the Experiment's trials; nullptr for other objects.
const yaml::Node* trial_job(const yaml::Node& object);

// The Experiment with the TrainJob that its trial job was converted to; the findings of what it says about
// that job's pods and status are added to `converted`. nullptr if the Experiment can't say it of a TrainJob.
const yaml::Node* with_trial_job(const yaml::Node& experiment, const model::V1Kind& kind,
                                 const yaml::Node& train_job, const yaml::Maker& make, Converted& converted);

// The only component of an AppWrapper, with the namespace and the labels that the AppWrapper has; nullptr if
// it has several, and for other objects.
const yaml::Node* wrapped_job(const yaml::Node& object, const yaml::Maker& make);

// What such a job loses.
base::Diagnostic unwrapping(const yaml::Node& wrapper);

}  // namespace trainjobc::migrate::v1
