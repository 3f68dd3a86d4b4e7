// SPDX-License-Identifier: Apache-2.0

#include "features/plan/quota/capacity.h"

#include <algorithm>
#include <set>

namespace trainjobc::plan {
namespace {

const ResourceQuota& quota_for(const Quotas& quotas, const FlavorResource& of) {
  static const ResourceQuota kNone;
  const auto found = quotas.find(of);
  return found != quotas.end() ? found->second : kNone;
}

// The part of the quota that the owner does not lend, and uses itself or in its children.
Units kept(const ResourceQuota& quota, Units subtree) {
  return quota.lending_limit ? std::max<Units>(0, subtree - *quota.lending_limit) : 0;
}

// What a part of the tree can use, of its own and of its parent's.
Units usable(const ResourceQuota& quota, Units subtree, Units of_parent) {
  const Units all = added(kept(quota, subtree), of_parent);
  return quota.borrowing_limit ? std::min(all, added(subtree, *quota.borrowing_limit)) : all;
}

const ResourceQuota& quota_for(const Cohort* cohort, const FlavorResource& of) {
  static const Quotas kNone;
  return quota_for(cohort ? cohort->quotas : kNone, of);
}

}  // namespace

Capacity::Capacity(const Quota& quota) : quota_(quota) {
  std::vector<size_t> with_queues;
  for (const auto& [name, queue] : quota.cluster_queues) {
    if (!queue.cohort.empty()) with_queues.push_back(part(queue.cohort));
  }
  for (const auto& [name, cohort] : quota.cohorts) {
    const size_t number = part(name);
    parts_[number].own = &cohort;
    if (cohort.parent.empty()) continue;
    const size_t parent = part(cohort.parent);
    parts_[number].parent = parent;
  }
  order_parts(with_queues);
  add_lenders();
}

size_t Capacity::part(std::string_view name) {
  const auto [at, is_new] = numbers_.try_emplace(name, parts_.size());
  if (is_new) parts_.push_back({.name = name});
  return at->second;
}

void Capacity::order_parts(const std::vector<size_t>& with_queues) {
  for (const size_t number : with_queues) parts_[number].height = 1;
  std::vector<size_t> children(parts_.size());  // that have no place yet
  for (const Part& part : parts_) {
    if (part.parent != kNone) ++children[part.parent];
  }
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (children[i] == 0) order_.push_back(i);
  }
  for (size_t at = 0; at < order_.size(); ++at) {
    Part& part = parts_[order_[at]];
    part.place = at;
    if (part.parent == kNone) continue;
    Part& parent = parts_[part.parent];
    parent.height = std::max(parent.height, part.height + 1);
    if (--children[part.parent] == 0) order_.push_back(part.parent);
  }
  for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
    Part& part = parts_[*at];
    part.is_in_tree = part.parent == kNone || parts_[part.parent].is_in_tree;
  }
}

void Capacity::add_lenders() {
  for (const auto& [name, cohort] : quota_.cohorts) {
    for (const auto& [of, quota] : cohort.quotas)
      lenders_[of].emplace_back(numbers_.find(name)->second, quota.nominal);
  }
  for (const auto& [name, queue] : quota_.cluster_queues) {
    if (queue.cohort.empty()) continue;
    for (const auto& [of, quota] : queue.quotas)
      lenders_[of].emplace_back(numbers_.find(queue.cohort)->second,
                                quota.nominal - kept(quota, quota.nominal));
  }
}

Capacity::Amounts& Capacity::amounts(const FlavorResource& of) const {
  const auto [at, is_new] = amounts_.try_emplace(of);
  Amounts& amounts = at->second;
  const auto lenders = lenders_.find(of);
  if (!is_new || lenders == lenders_.end()) return amounts;
  const auto lend = [&](size_t number, Units amount) {
    if (parts_[number].place == kNone) return;
    Units& sum = amounts.subtrees[parts_[number].place];
    sum = added(sum, amount);
  };
  for (const auto& [number, amount] : lenders->second) lend(number, amount);
  // Parents come after their children.
  for (const auto& [place, sum] : amounts.subtrees) {
    const Part& part = parts_[order_[place]];
    if (part.parent != kNone) lend(part.parent, sum - kept(quota_for(part.own, of), sum));
  }
  return amounts;
}

Units Capacity::subtree(const Amounts& amounts, const Part& part) const {
  const auto found = amounts.subtrees.find(part.place);
  return found != amounts.subtrees.end() ? found->second : 0;
}

Units Capacity::most_of_part(size_t number, const FlavorResource& of) const {
  Amounts& known = amounts(of);
  std::vector<size_t> above;  // up to one that is known, or the root
  while (number != kNone && !known.most.contains(number)) {
    above.push_back(number);
    number = parts_[number].parent;
  }
  for (auto at = above.rbegin(); at != above.rend(); ++at) {
    const Part& part = parts_[*at];
    const Units own = subtree(known, part);
    known.most[*at] =
        part.parent == kNone ? own : usable(quota_for(part.own, of), own, known.most.at(part.parent));
  }
  return known.most.at(above.empty() ? number : above.front());
}

Units Capacity::most(const ClusterQueue& queue, const FlavorResource& of) const {
  const ResourceQuota& quota = quota_for(queue.quotas, of);
  if (queue.cohort.empty() || !part_of(queue).is_in_tree) return quota.nominal;
  const std::scoped_lock lock(mutex_);
  return usable(quota, quota.nominal, most_of_part(numbers_.find(queue.cohort)->second, of));
}

int Capacity::borrowing_height(const ClusterQueue& queue, const FlavorResource& of, Units amount) const {
  const ResourceQuota& quota = quota_for(queue.quotas, of);
  if (amount <= quota.nominal || queue.cohort.empty() || !part_of(queue).is_in_tree) return 0;
  const std::scoped_lock lock(mutex_);
  const Amounts& known = amounts(of);
  Units left = amount - kept(quota, quota.nominal);
  const Part* at = &part_of(queue);
  for (;;) {
    const Units own = subtree(known, *at);
    if (left <= own || at->parent == kNone) return at->height;
    left -= kept(quota_for(at->own, of), own);
    at = &parts_[at->parent];
  }
}

std::vector<std::string> Capacity::cycle_from(const std::string& name) const {
  const auto found = numbers_.find(name);
  if (found == numbers_.end() || parts_[found->second].is_in_tree) return {};
  std::vector<size_t> path;
  std::set<size_t> seen;
  size_t at = found->second;
  for (; at != kNone && seen.insert(at).second; at = parts_[at].parent) path.push_back(at);
  std::vector<std::string> cycle;
  for (auto part = std::ranges::find(path, at); part != path.end(); ++part)
    cycle.emplace_back(parts_[*part].name);
  return cycle;
}

}  // namespace trainjobc::plan
