// SPDX-License-Identifier: Apache-2.0

#include "features/plan/quota/displace.h"

#include <algorithm>
#include <tuple>

namespace trainjobc::plan {
namespace {

void add(Usage& usage, const Rival& job) {
  for (const auto& [of, amount] : job.amounts) usage.add(*job.queue, of, amount);
}

void remove(Usage& usage, const Rival& job) {
  for (const auto& [of, amount] : job.amounts) usage.remove(*job.queue, of, amount);
}

bool uses_any(const Rival& job, const std::set<FlavorResource>& of) {
  return std::ranges::any_of(of, [&](const FlavorResource& one) { return job.amounts.contains(one); });
}

bool is_within(const Usage& usage, const auto& part, const std::set<FlavorResource>& of) {
  return std::ranges::all_of(of, [&](const FlavorResource& one) { return usage.is_within(part, one); });
}

// Whether the quota of a queue or cohort is also enough for the amounts; subtracts what it does not lend from
// them.
bool takes(const Usage& usage, const auto& part, FlavorAmounts& amounts) {
  bool fits = true;
  for (auto& [of, amount] : amounts) {
    fits = fits && usage.is_within(part, of, amount);
    amount = std::max<Units>(0, amount - usage.own_left(part, of));
  }
  return fits;
}

}  // namespace

void add_all(Usage& usage, std::span<const Rival* const> jobs) {
  for (const Rival* job : jobs) add(usage, *job);
}

void remove_all(Usage& usage, std::span<const Rival* const> jobs) {
  for (const Rival* job : jobs) remove(usage, *job);
}

bool Displacer::is_lower(const Rival& other, Preemption policy) const {
  switch (policy) {
    case Preemption::Never: return false;
    case Preemption::LowerPriority: return job_.priority > other.priority;
    case Preemption::LowerOrNewerEqualPriority:
      return job_.priority > other.priority || (job_.priority == other.priority && job_.age < other.age);
    case Preemption::Any: return true;
  }
  return false;
}

void Displacer::add_of_queue(const ClusterQueue& queue, size_t meets, bool is_nearer,
                             const std::set<FlavorResource>& lacking, std::vector<Candidate>& list) const {
  const auto admitted = admitted_.find(&queue);
  if (admitted == admitted_.end()) return;
  const PreemptionPolicy& policy = job_.queue->preemption;
  const bool is_own = &queue == job_.queue;
  for (const Rival* rival : admitted->second) {
    if (!uses_any(*rival, lacking)) continue;
    if (!is_lower(*rival, is_own ? policy.within_queue : policy.within_cohort)) continue;
    const bool is_above_threshold =
        rival->priority >= job_.priority || (policy.threshold && rival->priority > *policy.threshold);
    list.push_back({rival, meets, is_own || is_nearer || (policy.while_borrowing && !is_above_threshold)});
  }
}

// Nothing can be reclaimed from parts of the tree that use no more than their quota.
void Displacer::add_below(size_t top, size_t skipped, bool is_nearer, const std::set<FlavorResource>& lacking,
                          std::vector<Candidate>& list) const {
  const Capacity& tree = usage_.capacity();
  std::vector<size_t> open{top};
  while (!open.empty()) {
    const size_t cohort = open.back();
    open.pop_back();
    for (const size_t child : tree.children_of(cohort)) {
      if (child != skipped && !is_within(usage_, child, lacking)) open.push_back(child);
    }
    for (const ClusterQueue* queue : tree.queues_of(cohort)) {
      if (queue != job_.queue && !is_within(usage_, *queue, lacking))
        add_of_queue(*queue, top, is_nearer, lacking, list);
    }
  }
}

Displacer::Candidates Displacer::find(const std::set<FlavorResource>& lacking,
                                      const FlavorAmounts& amounts) const {
  Candidates found;
  const PreemptionPolicy& policy = job_.queue->preemption;
  if (policy.within_queue != Preemption::Never)
    add_of_queue(*job_.queue, Capacity::kNone, false, lacking, found.own);
  if (policy.within_cohort != Preemption::Never) {
    const Capacity& tree = usage_.capacity();
    FlavorAmounts rest = amounts;
    bool is_nearer = takes(usage_, *job_.queue, rest);
    size_t below = Capacity::kNone;
    for (size_t at = tree.parent_of(*job_.queue); at != Capacity::kNone; at = tree.parent_of(at)) {
      add_below(at, below, is_nearer, lacking, is_nearer ? found.nearer : found.lower);
      if (takes(usage_, at, rest)) is_nearer = true;
      below = at;
    }
  }
  // Among those with the lowest priority, the newest come first.
  for (std::vector<Candidate>* list : {&found.nearer, &found.lower, &found.own}) {
    std::ranges::sort(*list, [](const Candidate& a, const Candidate& b) {
      return std::tuple(a.rival->priority, b.rival->since) < std::tuple(b.rival->priority, a.rival->since);
    });
  }
  return found;
}

// Earlier displacements may have left the candidate's queue, or a cohort, without anything borrowed.
bool Displacer::is_valid(const Candidate& candidate, bool borrows,
                         const std::set<FlavorResource>& lacking) const {
  if (candidate.rival->queue == job_.queue) return true;
  if (borrows && !candidate.while_borrowing) return false;
  if (is_within(usage_, *candidate.rival->queue, lacking)) return false;
  const Capacity& tree = usage_.capacity();
  for (size_t at = tree.parent_of(*candidate.rival->queue); at != candidate.meets; at = tree.parent_of(at)) {
    if (is_within(usage_, at, lacking)) return false;
  }
  return true;
}

bool Displacer::fits(const FlavorAmounts& amounts, bool borrows) const {
  return std::ranges::all_of(amounts, [&](const auto& entry) {
    const auto& [of, amount] = entry;
    if (!borrows && !usage_.is_within(*job_.queue, of, amount)) return false;
    return amount <= usage_.available(*job_.queue, of);
  });
}

std::vector<const Rival*> Displacer::remove_until_fit(const std::vector<Candidate>& candidates, bool borrows,
                                                      const std::set<FlavorResource>& lacking,
                                                      const FlavorAmounts& amounts) {
  std::vector<const Rival*> removed;
  bool is_enough = false;
  for (const Candidate& candidate : candidates) {
    if (!is_valid(candidate, borrows, lacking)) continue;
    remove(usage_, *candidate.rival);
    removed.push_back(candidate.rival);
    is_enough = fits(amounts, borrows);
    if (is_enough) break;
  }
  if (!is_enough) {
    add_all(usage_, removed);
    return {};
  }
  // Keep those that need not be displaced after all, starting with the last but one.
  for (size_t i = removed.size() - 1; i-- > 0;) {
    add(usage_, *removed[i]);
    if (fits(amounts, borrows)) {
      removed[i] = removed.back();
      removed.pop_back();
    } else {
      remove(usage_, *removed[i]);
    }
  }
  add_all(usage_, removed);
  return removed;
}

std::vector<const Rival*> Displacer::targets(const std::set<FlavorResource>& lacking,
                                             const FlavorAmounts& amounts) {
  const Candidates found = find(lacking, amounts);
  std::vector<Candidate> all = found.nearer;
  all.insert(all.end(), found.lower.begin(), found.lower.end());
  all.insert(all.end(), found.own.begin(), found.own.end());
  const bool has_others = !found.nearer.empty() || !found.lower.empty();
  const bool may_borrow = job_.queue->preemption.while_borrowing;
  const bool is_below_quota = std::ranges::all_of(
      lacking, [&](const FlavorResource& of) { return usage_.is_within(*job_.queue, of, 1); });
  std::vector<bool> ways{true, false};
  if (!has_others || (!may_borrow && !is_below_quota)) {
    ways = {true};
  } else if (!may_borrow && found.nearer.empty()) {
    ways = {false, true};
  }
  for (const bool borrows : ways) {
    std::vector<const Rival*> displaced = remove_until_fit(all, borrows, lacking, amounts);
    if (!displaced.empty()) return displaced;
  }
  return {};
}

Need Displacer::need(const FlavorResource& of, Units amount) {
  const std::vector<const Rival*> displaced = targets({of}, {{of, amount}});
  if (displaced.empty()) return {Fit::Waits, usage_.reach(*job_.queue, of, amount).height};
  remove_all(usage_, displaced);
  const int height = usage_.reach(*job_.queue, of, amount).height;
  add_all(usage_, displaced);
  const bool is_own =
      std::ranges::any_of(displaced, [&](const Rival* one) { return one->queue == job_.queue; });
  return {is_own ? Fit::Displaces : Fit::Reclaims, height};
}

}  // namespace trainjobc::plan
