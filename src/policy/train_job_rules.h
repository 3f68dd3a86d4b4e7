// SPDX-License-Identifier: Apache-2.0

// The webhook's rules for a TrainJob that need no runtime.
#pragma once

#include "model/behaviours.h"
#include "model/train_job.h"
#include "policy/plugin.h"

namespace trainjobc::policy {

// The name is a DNS label, if the schema doesn't check that.
void validate_train_job(const model::TrainJob& job, const model::Behaviours& behaviours, Findings& findings);

}  // namespace trainjobc::policy
