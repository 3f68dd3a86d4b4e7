// SPDX-License-Identifier: Apache-2.0

// Decides whether Kueue could ever admit a job: with nothing else in the queues, and with all that its cohort
// can lend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/plan/quota/capacity.h"
#include "features/plan/quota/flavors.h"
#include "features/plan/quota/quota.h"
#include "yaml/node.h"

namespace trainjobc::plan {

// Which of several jobs Kueue admits if it gets them as they were created, while nothing else runs and none
// of them ends.

// What a job in one of Kueue's queues needs.
struct Workload {
  const ClusterQueue* queue = nullptr;
  std::vector<QueuedPodSet> sets;
  int64_t priority = 0;
  std::string created;  // metadata.creationTimestamp; "" if it has none
};

struct Contender {
  std::string_view name;  // "team-a/llama"
  const Workload* workload = nullptr;
};

// Why a job stays pending.
enum class Pending {
  No,         // it is admitted
  Quota,      // other jobs use the quota, or it is never enough
  Behind,     // its queue is strict, and the job ahead of it is waiting
  Reserved,   // unused quota is reserved for a job that comes first
  Displaced,  // it was admitted, until another job reclaimed its quota
};

std::string_view to_string(Pending pending);

struct Outcome {
  size_t turn = 0;  // counts from 1: the order in which Kueue first tries jobs; those never tried come last
  Pending pending = Pending::No;
  std::vector<AssignedFlavor> flavors;  // if admitted
  std::vector<Obstacle> obstacles;      // if it stays pending for lack of quota
  std::string other;  // the job ahead of it in the queue, or the first of those that have what it needs
  size_t others = 0;  // the number of such jobs
};

// By contender. Jobs come by creation; those without a creationTimestamp come last, together. Those that wait
// are tried by priority, then by creation, and in the given order. One head of each ClusterQueue is tried at
// a time, without fair sharing.
std::vector<Outcome> admit_together(const Capacity& capacity, std::span<const Contender> jobs);

enum class Verdict {
  Admitted,  // it can be admitted
  Never,
  NotQueued,  // it names no queue, so Kueue leaves it alone
};

std::string_view to_string(Verdict verdict);

struct Admission {
  Verdict verdict = Verdict::NotQueued;
  std::string local_queue;
  std::string cluster_queue;
  std::string cohort;
  std::vector<AssignedFlavor> flavors;  // for Admitted
  std::vector<Obstacle> obstacles;      // for Never: what is missing
  std::vector<std::string> conditions;  // what the given objects don't show
  std::optional<Workload> workload;     // nullopt if Kueue would not even try the job
  std::optional<Outcome> together;      // together with the other jobs; nullopt without a workload
};

struct QueuedJob {
  std::string_view ns;  // "default" if the job names none
  const yaml::Node& job_set;
  const yaml::Node& train_job;
};

Admission admit(const Capacity& capacity, const QueuedJob& job);

}  // namespace trainjobc::plan
