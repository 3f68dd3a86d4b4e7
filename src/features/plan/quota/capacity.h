// SPDX-License-Identifier: Apache-2.0

// What ClusterQueues can use: their own quota, and what the tree of cohorts above them lends.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "features/plan/quota/quota.h"

namespace trainjobc::plan {

// Threads may share one. The quota must outlive it, and not change.
class Capacity {
 public:
  explicit Capacity(const Quota& quota);

  const Quota& quota() const { return quota_; }

  // With all that its cohorts lend, up to its own and their borrowing limits.
  Units most(const ClusterQueue& queue, const FlavorResource& of) const;
  // How far up the cohorts it has to borrow for this amount: 0 if its own quota is enough.
  int borrowing_height(const ClusterQueue& queue, const FlavorResource& of, Units amount) const;
  // The cohorts that are parents of each other, from `name` on; empty if they form a tree.
  std::vector<std::string> cycle_from(const std::string& name) const;

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  // A cohort, with an object or only named.
  struct Part {
    std::string_view name;
    const Cohort* own = nullptr;
    size_t parent = kNone;
    size_t place = kNone;     // in order_; kNone in a cycle
    int height = 0;           // of what is below it: 0 for nothing
    bool is_in_tree = false;  // no cohort above it is in a cycle
  };

  // Of one resource of a flavor.
  struct Amounts {
    std::map<size_t, Units> subtrees;        // quota by the part's place; none is 0
    std::unordered_map<size_t, Units> most;  // by part
  };

  size_t part(std::string_view name);
  const Part& part_of(const ClusterQueue& queue) const { return parts_[numbers_.find(queue.cohort)->second]; }
  void order_parts(const std::vector<size_t>& with_queues);
  void add_lenders();
  Amounts& amounts(const FlavorResource& of) const;
  Units subtree(const Amounts& amounts, const Part& part) const;
  Units most_of_part(size_t number, const FlavorResource& of) const;

  const Quota& quota_;
  std::map<std::string_view, size_t> numbers_;  // of the parts, by name
  std::vector<Part> parts_;
  std::vector<size_t> order_;  // children before their parents
  // What cohorts have of their own, and what ClusterQueues lend them.
  std::map<FlavorResource, std::vector<std::pair<size_t, Units>>> lenders_;
  mutable std::mutex mutex_;
  mutable std::map<FlavorResource, Amounts> amounts_;  // of what was asked for
};

}  // namespace trainjobc::plan
