// SPDX-License-Identifier: Apache-2.0

#include "features/plan/quota/capacity.h"

#include <algorithm>

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

}  // namespace

std::vector<std::string> Capacity::cycle_from(const std::string& name) const {
  std::vector<std::string> path;
  for (std::string at = name; !at.empty();) {
    const auto before = std::ranges::find(path, at);
    if (before != path.end()) return {before, path.end()};
    path.push_back(at);
    const Cohort* cohort = quota_.cohort(at);
    at = cohort ? cohort->parent : "";
  }
  return {};
}

Units Capacity::subtree_quota(const std::string& name, const FlavorResource& of) const {
  const Cohort* own = quota_.cohort(name);
  Units sum = own ? quota_for(own->quotas, of).nominal : 0;
  for (const auto& [child, cohort] : quota_.cohorts) {
    if (cohort.parent != name) continue;
    const Units subtree = subtree_quota(child, of);
    sum = added(sum, subtree - kept(quota_for(cohort.quotas, of), subtree));
  }
  for (const auto& [child, queue] : quota_.cluster_queues) {
    if (queue.cohort != name) continue;
    const ResourceQuota& quota = quota_for(queue.quotas, of);
    sum = added(sum, quota.nominal - kept(quota, quota.nominal));
  }
  return sum;
}

Units Capacity::most_of_cohort(const std::string& name, const FlavorResource& of) const {
  const Units subtree = subtree_quota(name, of);
  const Cohort* cohort = quota_.cohort(name);
  if (!cohort || cohort->parent.empty()) return subtree;
  return usable(quota_for(cohort->quotas, of), subtree, most_of_cohort(cohort->parent, of));
}

Units Capacity::most(const ClusterQueue& queue, const FlavorResource& of) const {
  const ResourceQuota& quota = quota_for(queue.quotas, of);
  if (queue.cohort.empty()) return quota.nominal;
  return usable(quota, quota.nominal, most_of_cohort(queue.cohort, of));
}

int Capacity::height(const std::string& name) const {
  int most = 0;
  for (const auto& [child, queue] : quota_.cluster_queues) {
    if (queue.cohort == name) most = std::max(most, 1);
  }
  for (const auto& [child, cohort] : quota_.cohorts) {
    if (cohort.parent == name) most = std::max(most, height(child) + 1);
  }
  return most;
}

int Capacity::borrowing_height(const ClusterQueue& queue, const FlavorResource& of, Units amount) const {
  const ResourceQuota& quota = quota_for(queue.quotas, of);
  if (amount <= quota.nominal || queue.cohort.empty()) return 0;
  Units left = amount - kept(quota, quota.nominal);
  std::string at = queue.cohort;
  for (;;) {
    const Units subtree = subtree_quota(at, of);
    const Cohort* cohort = quota_.cohort(at);
    if (left <= subtree || !cohort || cohort->parent.empty()) return height(at);
    left -= kept(quota_for(cohort->quotas, of), subtree);
    at = cohort->parent;
  }
}

}  // namespace trainjobc::plan
