// SPDX-License-Identifier: Apache-2.0

// Finds the admitted jobs that Kueue displaces for a job that needs their quota. Source of the rules: Kueue
// 0.15, pkg/scheduler/preemption, without fair sharing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "features/plan/quota/capacity.h"
#include "features/plan/quota/flavors.h"
#include "features/plan/quota/quota.h"

namespace trainjobc::plan {

using FlavorAmounts = std::map<FlavorResource, Units>;

// A job that is waiting or was admitted.
struct Rival {
  size_t number = 0;
  const ClusterQueue* queue = nullptr;
  int64_t priority = 0;
  size_t age = 0;    // position by creation time
  size_t since = 0;  // number of its admission
  FlavorAmounts amounts;
};

// The admitted jobs of each queue.
using RivalsByQueue = std::unordered_map<const ClusterQueue*, std::vector<const Rival*>>;

// Decides for one waiting job. It changes the usage while it computes, and restores it afterwards.
class Displacer final : public Displacing {
 public:
  Displacer(const RivalsByQueue& admitted, Usage& usage, const Rival& job)
      : admitted_(admitted), usage_(usage), job_(job) {}

  Need need(const FlavorResource& of, Units amount) override;

  // The jobs to displace so that the job can have `amounts`, of which `lacking` are not available; empty if
  // that is impossible.
  std::vector<const Rival*> targets(const std::set<FlavorResource>& lacking, const FlavorAmounts& amounts);

 private:
  struct Candidate {
    const Rival* rival = nullptr;
    size_t meets = Capacity::kNone;  // the cohort in which its branch and the job's branch meet
    bool while_borrowing = false;    // may be displaced even if the job's queue then borrows
  };
  struct Candidates {
    std::vector<Candidate> nearer;  // of queues that use quota to which the job is closer
    std::vector<Candidate> lower;   // of other queues
    std::vector<Candidate> own;     // of the job's queue
  };

  bool is_lower(const Rival& other, Preemption policy) const;
  Candidates find(const std::set<FlavorResource>& lacking, const FlavorAmounts& amounts) const;
  void add_of_queue(const ClusterQueue& queue, size_t meets, bool is_nearer,
                    const std::set<FlavorResource>& lacking, std::vector<Candidate>& list) const;
  void add_below(size_t cohort, size_t skipped, bool is_nearer, const std::set<FlavorResource>& lacking,
                 std::vector<Candidate>& list) const;
  bool is_valid(const Candidate& candidate, bool borrows, const std::set<FlavorResource>& lacking) const;
  bool fits(const FlavorAmounts& amounts, bool borrows) const;
  std::vector<const Rival*> remove_until_fit(const std::vector<Candidate>& candidates, bool borrows,
                                             const std::set<FlavorResource>& lacking,
                                             const FlavorAmounts& amounts);

  const RivalsByQueue& admitted_;
  Usage& usage_;
  const Rival& job_;
};

// Adds all amounts of the jobs to the usage, or removes them.
void add_all(Usage& usage, std::span<const Rival* const> jobs);
void remove_all(Usage& usage, std::span<const Rival* const> jobs);

}  // namespace trainjobc::plan
