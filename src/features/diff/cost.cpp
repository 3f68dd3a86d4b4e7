// SPDX-License-Identifier: Apache-2.0

#include "features/diff/cost.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "k8s/object_meta.h"

namespace trainjobc::diff {
namespace {

void add_demand(Cost& cost, const yaml::Node* job_set, int64_t factor) {
  if (!job_set) return;
  const cluster::Demand demand = cluster::demand_of(*job_set);
  cost.pods += factor * demand.pods;
  cluster::add(cost.requests, cluster::times(demand.requests, factor));
}

}  // namespace

std::vector<Cost> costs_of(const cluster::Report& report) {
  std::map<std::string, Cost> by_namespace;
  for (const cluster::ObjectDiff& object : report.objects) {
    if (object.kind != "JobSet" || !object.differs()) continue;
    const std::string ns(k8s::effective_namespace(object.ns));
    Cost& cost = by_namespace[ns];
    cost.ns = ns;
    add_demand(cost, object.live, -1);
    add_demand(cost, object.merged, 1);
  }
  std::vector<Cost> costs;
  for (auto& [ns, cost] : by_namespace) {
    std::erase_if(cost.requests, [](const auto& entry) { return entry.second.is_zero(); });
    if (cost.pods != 0 || !cost.requests.empty()) costs.push_back(std::move(cost));
  }
  return costs;
}

std::string cost_text(const Cost& cost) {
  std::vector<std::string> parts;
  for (const std::string& resource : cluster::in_order(cost.requests)) {
    const k8s::Quantity& amount = cost.requests.find(resource)->second;
    parts.push_back(fmt::format("{}{} {}", amount.sign() > 0 ? "+" : "", amount.to_string(), resource));
  }
  if (parts.empty())
    parts.push_back(fmt::format("{:+} {}", cost.pods, cost.pods == 1 || cost.pods == -1 ? "pod" : "pods"));
  return fmt::format("{} in {}", fmt::join(parts, ", "), cost.ns);
}

}  // namespace trainjobc::diff
