// SPDX-License-Identifier: Apache-2.0

// Whether a job could ever be admitted by Kueue: with nothing else in the queues, and all that its cohort can
// lend idle.
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

// A job that Kueue queues, and what it needs.
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
  Quota,      // others use it, or it is never enough
  Behind,     // its queue is strict, and the job ahead of it waits
  Reserved,   // what is unused is kept for a job that comes first
  Displaced,  // it was admitted, until another job reclaimed the quota
};

std::string_view to_string(Pending pending);

struct Outcome {
  size_t turn = 0;  // from 1: when Kueue tries it first; those that it never tries come last
  Pending pending = Pending::No;
  std::vector<AssignedFlavor> flavors;  // of an admitted job
  std::vector<Obstacle> obstacles;      // of one that stays pending for its quota
  std::string other;  // the job that it is behind, or that has what it needs: the first of them
  size_t others = 0;  // how many these are
};

// By contender. Jobs come by creation; those without a creationTimestamp come last, together. Those that wait
// are tried by priority, then by creation, and in the given order. One head of each ClusterQueue is tried at
// a time, without fair sharing.
std::vector<Outcome> admit_together(const Capacity& capacity, std::span<const Contender> jobs);

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
