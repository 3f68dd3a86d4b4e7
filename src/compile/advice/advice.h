// trainjobc's own advice: what the cluster accepts and users regret.
#pragma once

#include "model/behaviours.h"
#include "model/runtime.h"
#include "policy/runtime_info.h"
#include "schema/validate.h"
#include "yaml/node.h"

namespace trainjobc::compile {

// What advice may look at for one TrainJob.
struct AdviceContext {
  const model::TrainJob& job;
  const model::Runtime& runtime;
  bool runtime_is_input = false;      // and gets advice of its own
  const policy::RuntimeInfo& merged;  // after merging, before the policies expand it
  const yaml::Node& admitted_job_set;
  const yaml::Node& source;  // the TrainJob as it was written, before defaults and types
};

// Advice on a job, and on a runtime that was given as input. Diagnostics of stage advice with rule, severity,
// field, message, hint and location; the object is the caller's.
k8s::Violations advise_job(const AdviceContext& context);
// `has_jobs`: TrainJobs of the inputs use the runtime, and errors of theirs say what would refuse them.
k8s::Violations advise_runtime(const model::Runtime& runtime, const model::Behaviours& behaviours,
                               bool has_jobs);

}  // namespace trainjobc::compile
