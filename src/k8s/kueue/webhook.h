// SPDX-License-Identifier: Apache-2.0

// Kueue's validating webhook for TrainJobs.
// Source of the rules: Kueue 0.15 to 0.19, pkg/controller/jobs/trainjob, pkg/controller/jobframework.
#pragma once

#include "k8s/violations.h"
#include "yaml/node.h"

namespace trainjobc::k8s::kueue {

// Returns what Kueue refuses in a TrainJob, by its labels and by the pods of its JobSet with defaults. Fields
// of the pods are paths in the JobSet.
Violations check_train_job(const yaml::Node& train_job, const yaml::Node& job_set);

}  // namespace trainjobc::k8s::kueue
