// SPDX-License-Identifier: Apache-2.0

// trainjobc's own advice: reports what the cluster accepts, but is probably a mistake.
#pragma once

#include "compile/surroundings.h"
#include "k8s/kubernetes.h"
#include "model/behaviours.h"
#include "model/runtime.h"
#include "policy/runtime_info.h"
#include "schema/validate.h"
#include "yaml/node.h"

namespace trainjobc::compile {

// What advice on a TrainJob is based on.
struct AdviceContext {
  const model::TrainJob& job;
  const model::Runtime& runtime;
  bool runtime_is_input = false;      // the runtime is one of the inputs, and gets its own advice
  const policy::RuntimeInfo& merged;  // after merging, before the plugins expand it
  const yaml::Node& admitted_job_set;
  const yaml::Node& source;  // the TrainJob as written, before defaults and types
  const k8s::KubernetesBehaviour& kubernetes;
  const Surroundings& around;
};

// Advice on a job, and on a runtime of the inputs. Returns diagnostics of stage advice with rule, severity,
// field, message, hint and location. The caller sets the object.
k8s::Violations advise_job(const AdviceContext& context);
// `has_jobs` means that TrainJobs of the inputs use the runtime: their own errors report what would be
// refused.
k8s::Violations advise_runtime(const model::Runtime& runtime, const model::Behaviours& behaviours,
                               bool has_jobs, const Surroundings& around);

}  // namespace trainjobc::compile
