// SPDX-License-Identifier: Apache-2.0

// The TrainJobs of Katib's Experiments.
#pragma once

#include <string_view>

#include "base/diagnostic.h"
#include "yaml/node.h"

namespace trainjobc::compile {

// The TrainJob of the trials, with a name like theirs and, for each placeholder, a value that it may have;
// nullptr for other objects and kinds of trials.
const yaml::Node* trial_of_experiment(const yaml::Node& object, const yaml::Maker& make);

// Whether the text begins with a placeholder of an Experiment: ${trialParameters.rate}, ${trialSpec.Name}.
bool is_trial_placeholder(std::string_view text);

// Drops findings on texts with placeholders: what the trials have there isn't known, but that it is a string.
void leave_out_placeholders(base::Diagnostics& findings);

}  // namespace trainjobc::compile
