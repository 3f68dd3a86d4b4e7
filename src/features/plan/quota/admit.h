// SPDX-License-Identifier: Apache-2.0

// Whether a job could ever be admitted: see admission.h.
#pragma once

#include <string>
#include <string_view>

#include "features/plan/quota/admissibility.h"
#include "features/plan/quota/quota.h"
#include "yaml/node.h"

namespace trainjobc::plan {

struct QueuedJob {
  std::string_view ns;  // "default" if it names none
  const yaml::Node& job_set;
  const yaml::Node& train_job;
};

Admission admit(const Quota& quota, const QueuedJob& job);

}  // namespace trainjobc::plan
