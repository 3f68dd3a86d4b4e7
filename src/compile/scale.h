// SPDX-License-Identifier: Apache-2.0

// The same job with another number of nodes or processes, or another image: what it would be if its
// spec.trainer said so.
#pragma once

#include "compile/compile.h"
#include "model/train_job.h"
#include "policy/plugin.h"
#include "policy/runtime_info.h"
#include "yaml/node.h"

namespace trainjobc::compile {

// Changes the job; `merged` is it with its runtime before that. False if its framework has no such number,
// which is a finding.
bool scale_job(model::TrainJob& job, const policy::RuntimeInfo& merged, const JobScale& scale,
               const yaml::Maker& make, policy::Findings& findings);

}  // namespace trainjobc::compile
