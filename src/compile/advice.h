// trainjobc's own advice: what the cluster accepts and users regret.
#pragma once

#include "model/runtime.h"
#include "policy/runtime_info.h"
#include "schema/validate.h"
#include "yaml/node.h"

namespace trainjobc::compile {

// What advice may look at for one TrainJob.
struct AdviceContext {
  const model::TrainJob& job;
  const model::Runtime& runtime;
  const policy::RuntimeInfo& merged;     // after merging, before the policies expand it
  const yaml::Node& admitted_job_set;
};

// Advice on a job, and on a runtime that was given as input. Diagnostics of stage advice with rule, severity,
// field, message, hint and location; the object is the caller's.
schema::Violations advise_job(const AdviceContext& context);
schema::Violations advise_runtime(const model::Runtime& runtime);

}  // namespace trainjobc::compile
