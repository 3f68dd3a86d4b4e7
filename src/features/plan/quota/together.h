// SPDX-License-Identifier: Apache-2.0

// Which of several jobs Kueue admits if it gets them all at once, while nothing else runs and none of them ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/plan/quota/capacity.h"
#include "features/plan/quota/flavors.h"

namespace trainjobc::plan {

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
  std::string other;                    // the job that it is behind, or that has what it needs: the first of them
  size_t others = 0;                    // how many these are
};

// By contender. Jobs are tried by priority, then by creation; those without a creationTimestamp are the newest, in
// the given order. One head of each ClusterQueue is tried at a time, without fair sharing.
std::vector<Outcome> admit_together(const Capacity& capacity, std::span<const Contender> jobs);

}  // namespace trainjobc::plan
