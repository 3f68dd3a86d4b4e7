// SPDX-License-Identifier: Apache-2.0

// What ClusterQueues can use: their own quota, and what the cohorts above them lend; and how much of it is
// left while jobs use some.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "features/plan/quota/quota.h"

namespace trainjobc::plan {

// Threads may share one. The quota must outlive it, and must not change.
class Capacity {
 public:
  explicit Capacity(const Quota& quota);

  const Quota& quota() const { return quota_; }

  // The tree of cohorts. Each cohort has a number.
  static constexpr size_t kNone = static_cast<size_t>(-1);
  // The number of the queue's cohort; kNone if it has none, or if its cohorts form a cycle.
  size_t parent_of(const ClusterQueue& queue) const;
  size_t parent_of(size_t cohort) const { return parts_[cohort].parent; }
  std::span<const size_t> children_of(size_t cohort) const { return parts_[cohort].children; }
  // The cohort's ClusterQueues that admit jobs.
  std::span<const ClusterQueue* const> queues_of(size_t cohort) const { return parts_[cohort].queues; }

  // The most that the queue can use: with all that its cohorts lend, up to its own and their borrowing
  // limits.
  Units most(const ClusterQueue& queue, const FlavorResource& of) const;
  // The name of the cohort at the root of the queue's tree; "" if it has none.
  std::string_view root_of(const ClusterQueue& queue) const;
  // A cycle of cohorts and their parents, starting with `name`; empty if they form a tree.
  std::vector<std::string> cycle_from(const std::string& name) const;

 private:
  friend class Usage;

  // A cohort, whether an object defines it or queues only name it.
  struct Part {
    std::string_view name;
    const Cohort* own = nullptr;
    size_t parent = kNone;
    size_t place = kNone;     // index in order_; kNone in a cycle
    int height = 0;           // of the subtree below it: 0 for none
    bool is_in_tree = false;  // whether no cohort above it is in a cycle
    std::vector<size_t> children;
    std::vector<const ClusterQueue*> queues;
  };

  // The amounts of one resource of a flavor.
  struct Amounts {
    std::map<size_t, Units> subtrees;        // quota by `place` of the part; a missing one is 0
    std::unordered_map<size_t, Units> most;  // by number of the part
  };

  size_t part(std::string_view name);
  void order_parts();
  void add_lenders();
  Amounts& amounts(const FlavorResource& of) const;
  Units subtree(const Amounts& amounts, const Part& part) const;
  Units most_of_part(size_t number, const FlavorResource& of) const;

  const Quota& quota_;
  std::map<std::string_view, size_t> numbers_;  // of the parts, by name
  std::vector<Part> parts_;
  std::vector<size_t> order_;  // children come before their parents
  // What cohorts have themselves, and what ClusterQueues lend them: {number of the cohort, amount}.
  std::map<FlavorResource, std::vector<std::pair<size_t, Units>>> lenders_;
  mutable std::mutex mutex_;
  mutable std::map<FlavorResource, Amounts> amounts_;  // computed on demand
};

// How much of each ClusterQueue's quota admitted jobs use, and of the cohorts that lend it more. The capacity
// must outlive it. Only one thread at a time may change it. Source of the rules: Kueue 0.15,
// pkg/cache/scheduler/resource_node.go, pkg/scheduler/preemption/classical.
class Usage {
 public:
  explicit Usage(const Capacity& capacity) : capacity_(capacity) {}

  const Capacity& capacity() const { return capacity_; }

  // What the queue's jobs use.
  Units used(const ClusterQueue& queue, const FlavorResource& of) const;
  // What a job of the queue could get now; not below 0.
  Units available(const ClusterQueue& queue, const FlavorResource& of) const;

  // The lowest part of the tree, be it the queue or a cohort, whose quota is enough for its current usage and
  // this amount.
  struct Reach {
    int height = 0;         // 0 for the queue itself
    bool is_below = false;  // whether it is less than the whole tree
  };
  Reach reach(const ClusterQueue& queue, const FlavorResource& of, Units amount) const;

  // Whether the queue, or the cohort, uses no more than its own quota and that below it.
  bool is_within(const ClusterQueue& queue, const FlavorResource& of, Units more = 0) const;
  bool is_within(size_t cohort, const FlavorResource& of, Units more = 0) const;
  // How much is left of the quota that the queue or cohort does not lend.
  Units own_left(const ClusterQueue& queue, const FlavorResource& of) const;
  Units own_left(size_t cohort, const FlavorResource& of) const;

  void add(const ClusterQueue& queue, const FlavorResource& of, Units amount);
  void remove(const ClusterQueue& queue, const FlavorResource& of, Units amount);

 private:
  struct Used {
    std::unordered_map<const ClusterQueue*, Units> queues;
    std::unordered_map<size_t, Units> parts;
  };

  const Used& used(const FlavorResource& of) const;

  const Capacity& capacity_;
  std::map<FlavorResource, Used> used_;
};

}  // namespace trainjobc::plan
