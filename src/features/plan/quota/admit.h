// SPDX-License-Identifier: Apache-2.0

// Whether a job could ever be admitted by Kueue: with nothing else in the queues, and all that its cohort can
// lend idle.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "features/plan/quota/capacity.h"
#include "features/plan/quota/flavors.h"
#include "features/plan/quota/quota.h"
#include "features/plan/quota/together.h"
#include "yaml/node.h"

namespace trainjobc::plan {

enum class Verdict {
  Admitted,  // it can be
  Never,
  NotQueued,  // no queue is named: Kueue leaves the job alone
};

std::string_view to_string(Verdict verdict);

struct Admission {
  Verdict verdict = Verdict::NotQueued;
  std::string local_queue;
  std::string cluster_queue;
  std::string cohort;
  std::vector<AssignedFlavor> flavors;  // of Admitted
  std::vector<Obstacle> obstacles;      // of Never: what is missing
  std::vector<std::string> conditions;  // what can't be known from the given objects
  std::optional<Workload> workload;     // nullopt if Kueue does not try the job at all
  std::optional<Outcome> together;      // with the other jobs; nullopt without a workload
};

struct QueuedJob {
  std::string_view ns;  // "default" if it names none
  const yaml::Node& job_set;
  const yaml::Node& train_job;
};

Admission admit(const Capacity& capacity, const QueuedJob& job);

}  // namespace trainjobc::plan
