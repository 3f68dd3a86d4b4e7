// SPDX-License-Identifier: Apache-2.0

// Which admitted jobs Kueue displaces for a job that needs their quota.
// Source of the rules: Kueue 0.15, pkg/scheduler/preemption, without fair sharing.
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

// A job that waits, or was admitted.
struct Rival {
  size_t number = 0;
  const ClusterQueue* queue = nullptr;
  int64_t priority = 0;
  size_t age = 0;    // its place by creation
  size_t since = 0;  // counts admissions
  FlavorAmounts amounts;
};

// The admitted jobs of each queue.
using RivalsByQueue = std::unordered_map<const ClusterQueue*, std::vector<const Rival*>>;

// For one job that waits. Its usage is changed while it computes, and is as before afterwards.
class Displacer final : public Displacing {
 public:
  Displacer(const RivalsByQueue& admitted, Usage& usage, const Rival& job)
      : admitted_(admitted), usage_(usage), job_(job) {}

  Need need(const FlavorResource& of, Units amount) override;

  // Those to displace so that the job can have `amounts`, of which it lacks those of `lacking`; empty if that
  // can't be.
  std::vector<const Rival*> targets(const std::set<FlavorResource>& lacking, const FlavorAmounts& amounts);

 private:
  struct Candidate {
    const Rival* rival = nullptr;
    size_t meets = Capacity::kNone;  // the cohort where its branch meets the job's
    bool while_borrowing = false;    // may be displaced though the job's queue borrows then
  };
  struct Candidates {
    std::vector<Candidate> nearer;  // of queues that use what the job is closer to
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

// Adds to the usage, or takes from it, all that the jobs have.
void add_all(Usage& usage, std::span<const Rival* const> jobs);
void remove_all(Usage& usage, std::span<const Rival* const> jobs);

}  // namespace trainjobc::plan
