// SPDX-License-Identifier: Apache-2.0

#include "features/plan/quota/capacity.h"

#include <algorithm>
#include <set>

#include "base/text/text.h"

namespace trainjobc::plan {
namespace {

// The part of a quota that its owner does not lend, but uses itself or in its children.
Units kept(const ResourceQuota& quota, Units subtree) {
  return quota.lending_limit ? std::max<Units>(0, subtree - *quota.lending_limit) : 0;
}

// What a queue or cohort can use of its own quota and of its parent's.
Units usable(const ResourceQuota& quota, Units subtree, Units of_parent) {
  const Units all = added(kept(quota, subtree), of_parent);
  return quota.borrowing_limit ? std::min(all, added(subtree, *quota.borrowing_limit)) : all;
}

// What is left for a queue or cohort of its own quota and of its parent's.
Units left(const ResourceQuota& quota, Units subtree, Units used, Units left_of_parent) {
  const Units own = kept(quota, subtree);
  if (quota.borrowing_limit) {
    const Units lent = subtree - own - std::max<Units>(0, used - own);
    left_of_parent = std::min(added(lent, *quota.borrowing_limit), left_of_parent);
  }
  return added(std::max<Units>(0, own - used), left_of_parent);
}

ResourceQuota quota_for(const Cohort* cohort, const FlavorResource& of) {
  return cohort ? base::value_or(cohort->quotas, of) : ResourceQuota{};
}

}  // namespace

Capacity::Capacity(const Quota& quota) : quota_(quota) {
  for (const auto& [name, queue] : quota.cluster_queues) {
    if (queue.cohort.empty()) continue;
    const size_t number = part(queue.cohort);
    const bool is_active = !queue.is_stopped && quota.missing_flavors(queue).empty();
    if (is_active) parts_[number].queues.push_back(&queue);
  }
  for (const auto& [name, cohort] : quota.cohorts) {
    const size_t number = part(name);
    parts_[number].own = &cohort;
    if (cohort.parent.empty()) continue;
    const size_t parent = part(cohort.parent);
    parts_[number].parent = parent;
    parts_[parent].children.push_back(number);
  }
  order_parts();
  add_lenders();
}

size_t Capacity::part(std::string_view name) {
  const auto [at, is_new] = numbers_.try_emplace(name, parts_.size());
  if (is_new) parts_.push_back({.name = name});
  return at->second;
}

size_t Capacity::parent_of(const ClusterQueue& queue) const {
  if (queue.cohort.empty()) return kNone;
  const size_t number = numbers_.find(queue.cohort)->second;
  return parts_[number].is_in_tree ? number : kNone;
}

void Capacity::order_parts() {
  std::vector<size_t> children;  // parts that have no place yet
  for (Part& part : parts_) {
    children.push_back(part.children.size());
    if (!part.queues.empty()) part.height = 1;
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
  // Parents follow their children.
  for (const auto& [place, sum] : amounts.subtrees) {
    const Part& part = parts_[order_[place]];
    if (part.parent != kNone) lend(part.parent, sum - kept(quota_for(part.own, of), sum));
  }
  return amounts;
}

Units Capacity::subtree(const Amounts& amounts, const Part& part) const {
  return base::value_or(amounts.subtrees, part.place);
}

Units Capacity::most_of_part(size_t number, const FlavorResource& of) const {
  Amounts& known = amounts(of);
  std::vector<size_t> above;  // the ancestors, up to a known one or the root
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
  const ResourceQuota quota = base::value_or(queue.quotas, of);
  const size_t parent = parent_of(queue);
  if (parent == kNone) return quota.nominal;
  const std::scoped_lock lock(mutex_);
  return usable(quota, quota.nominal, most_of_part(parent, of));
}

std::string_view Capacity::root_of(const ClusterQueue& queue) const {
  size_t at = parent_of(queue);
  if (at == kNone) return "";
  while (parts_[at].parent != kNone) at = parts_[at].parent;
  return parts_[at].name;
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

const Usage::Used& Usage::used(const FlavorResource& of) const {
  static const Used kNothing;
  const auto found = used_.find(of);
  return found != used_.end() ? found->second : kNothing;
}

Units Usage::used(const ClusterQueue& queue, const FlavorResource& of) const {
  return base::value_or(used(of).queues, &queue);
}

Units Usage::available(const ClusterQueue& queue, const FlavorResource& of) const {
  const Used& used_of = used(of);
  const ResourceQuota quota = base::value_or(queue.quotas, of);
  const Units used_here = base::value_or(used_of.queues, &queue);
  const size_t parent = capacity_.parent_of(queue);
  if (parent == Capacity::kNone) return std::max<Units>(0, quota.nominal - used_here);
  if (used_of.queues.empty()) return capacity_.most(queue, of);
  const std::scoped_lock lock(capacity_.mutex_);
  const Capacity::Amounts& amounts = capacity_.amounts(of);
  std::vector<size_t> above;
  for (size_t at = parent; at != Capacity::kNone; at = capacity_.parts_[at].parent) above.push_back(at);
  Units available = 0;
  for (auto at = above.rbegin(); at != above.rend(); ++at) {
    const Capacity::Part& part = capacity_.parts_[*at];
    const Units subtree = capacity_.subtree(amounts, part);
    const Units used_below = base::value_or(used_of.parts, *at);
    available = at == above.rbegin() ? subtree - used_below
                                     : left(quota_for(part.own, of), subtree, used_below, available);
  }
  return std::max<Units>(0, left(quota, quota.nominal, used_here, available));
}

Usage::Reach Usage::reach(const ClusterQueue& queue, const FlavorResource& of, Units amount) const {
  const Used& used_of = used(of);
  const ResourceQuota quota = base::value_or(queue.quotas, of);
  const Units used_here = base::value_or(used_of.queues, &queue);
  size_t at = capacity_.parent_of(queue);
  if (at == Capacity::kNone) return {};
  if (added(used_here, amount) <= quota.nominal) return {0, true};
  const std::scoped_lock lock(capacity_.mutex_);
  const Capacity::Amounts& amounts = capacity_.amounts(of);
  Units rest = amount - std::max<Units>(0, kept(quota, quota.nominal) - used_here);
  for (;;) {
    const Capacity::Part& part = capacity_.parts_[at];
    const Units subtree = capacity_.subtree(amounts, part);
    const Units used_below = base::value_or(used_of.parts, at);
    const bool is_root = part.parent == Capacity::kNone;
    if (is_root || added(used_below, rest) <= subtree) return {part.height, !is_root};
    rest -= std::max<Units>(0, kept(quota_for(part.own, of), subtree) - used_below);
    at = part.parent;
  }
}

bool Usage::is_within(const ClusterQueue& queue, const FlavorResource& of, Units more) const {
  return used(queue, of) + more <= base::value_or(queue.quotas, of).nominal;
}

bool Usage::is_within(size_t cohort, const FlavorResource& of, Units more) const {
  const std::scoped_lock lock(capacity_.mutex_);
  const Units subtree = capacity_.subtree(capacity_.amounts(of), capacity_.parts_[cohort]);
  return base::value_or(used(of).parts, cohort) + more <= subtree;
}

Units Usage::own_left(const ClusterQueue& queue, const FlavorResource& of) const {
  const ResourceQuota quota = base::value_or(queue.quotas, of);
  return std::max<Units>(0, kept(quota, quota.nominal) - used(queue, of));
}

Units Usage::own_left(size_t cohort, const FlavorResource& of) const {
  const std::scoped_lock lock(capacity_.mutex_);
  const Capacity::Part& part = capacity_.parts_[cohort];
  const Units subtree = capacity_.subtree(capacity_.amounts(of), part);
  return std::max<Units>(0, kept(quota_for(part.own, of), subtree) - base::value_or(used(of).parts, cohort));
}

void Usage::add(const ClusterQueue& queue, const FlavorResource& of, Units amount) {
  Used& used_of = used_[of];
  const ResourceQuota quota = base::value_or(queue.quotas, of);
  Units& here = used_of.queues[&queue];
  Units over = amount - std::max<Units>(0, kept(quota, quota.nominal) - here);
  here += amount;
  const std::scoped_lock lock(capacity_.mutex_);
  const Capacity::Amounts& amounts = capacity_.amounts(of);
  for (size_t at = capacity_.parent_of(queue); at != Capacity::kNone && over > 0;) {
    const Capacity::Part& part = capacity_.parts_[at];
    Units& below = used_of.parts[at];
    const Units own =
        std::max<Units>(0, kept(quota_for(part.own, of), capacity_.subtree(amounts, part)) - below);
    below += over;
    over -= own;
    at = part.parent;
  }
}

void Usage::remove(const ClusterQueue& queue, const FlavorResource& of, Units amount) {
  Used& used_of = used_[of];
  const ResourceQuota quota = base::value_or(queue.quotas, of);
  Units& here = used_of.queues[&queue];
  Units over = std::min(amount, here - kept(quota, quota.nominal));
  here -= amount;
  const std::scoped_lock lock(capacity_.mutex_);
  const Capacity::Amounts& amounts = capacity_.amounts(of);
  for (size_t at = capacity_.parent_of(queue); at != Capacity::kNone && over > 0;) {
    const Capacity::Part& part = capacity_.parts_[at];
    Units& below = used_of.parts[at];
    const Units lent = below - kept(quota_for(part.own, of), capacity_.subtree(amounts, part));
    below -= over;
    over = std::min(over, lent);
    at = part.parent;
  }
}

}  // namespace trainjobc::plan
