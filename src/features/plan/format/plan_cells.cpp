// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/text/printable.h"
#include "features/plan/format/plan_formats.h"

namespace trainjobc::plan {
namespace {

std::string cell_of(const std::optional<int64_t>& number) {
  return number ? std::to_string(*number) : "?";
}

std::string cell_of(const Amounts& amounts, const std::string& resource) {
  const auto found = amounts.find(resource);
  return found != amounts.end() ? found->second.to_string() : "-";
}

std::string or_dash(std::string_view text) {
  return text.empty() ? "-" : std::string(text);
}

std::string hosts_text(const JobPlan& job) {
  std::string text;
  for (const PodSet& set : job.pod_sets) {
    if (!set.hosts.empty()) text += (text.empty() ? "" : " ") + set.hosts;
  }
  return or_dash(text);
}

std::string place_of(const Obstacle& obstacle) {
  std::string place;
  const auto append = [&](std::string_view what, const std::string& name) {
    if (!name.empty()) place += fmt::format("{}{}{}", place.empty() ? "" : ", ", what, name);
  };
  append("", obstacle.pod_set);
  append("", obstacle.resource);
  append("flavor ", obstacle.flavor);
  return place.empty() ? "" : place + ": ";
}

// node: nvidia.com/gpu 32 from h100, cpu 96 and memory 1Ti from default
std::string flavors_of_set(const std::vector<AssignedFlavor>& all, const std::string& set) {
  std::string text;
  for (const AssignedFlavor& flavor : all) {
    if (flavor.pod_set != set) continue;
    text += fmt::format("{}{} {} of {}{}", text.empty() ? "" : ", ", flavor.requested, flavor.resource,
                        flavor.flavor, flavor.borrows ? " (borrowed)" : "");
  }
  return fmt::format("{}: {}", set, text);
}

std::string admitted_text(const Admission& admission) {
  const std::string cohort = admission.cohort.empty() ? "" : fmt::format(" of cohort {}", admission.cohort);
  return fmt::format("can be admitted by ClusterQueue {}{}", admission.cluster_queue, cohort);
}

}  // namespace

std::vector<std::string> resources_of(const Plan& plan) {
  return in_order(plan.total.requests);
}

std::vector<std::string> job_titles(const std::vector<std::string>& resources) {
  std::vector<std::string> titles{"JOB", "NODES", "PODS", "PROCESSES", "GANG"};
  titles.insert(titles.end(), resources.begin(), resources.end());
  titles.insert(titles.end(), {"QUEUE", "HOSTS"});
  return titles;
}

std::vector<std::string> job_cells(const JobPlan& job, const std::vector<std::string>& resources) {
  std::vector<std::string> cells{fmt::format("{}/{}", job.ns, job.name), std::to_string(job.nodes),
                                 std::to_string(job.pods), cell_of(job.processes),
                                 job.gang_minimum ? std::to_string(*job.gang_minimum) : "-"};
  for (const std::string& resource : resources) cells.push_back(cell_of(job.requests, resource));
  cells.push_back(or_dash(job.queue));
  cells.push_back(hosts_text(job));
  return cells;
}

std::vector<std::string> total_titles(const std::vector<std::string>& resources) {
  std::vector<std::string> titles{"NAMESPACE", "QUEUE", "JOBS", "NODES", "PODS", "PROCESSES"};
  titles.insert(titles.end(), resources.begin(), resources.end());
  return titles;
}

std::vector<std::string> total_cells(const Total& total, const std::vector<std::string>& resources) {
  std::vector<std::string> cells{or_dash(total.ns),          or_dash(total.queue),
                                 std::to_string(total.jobs), std::to_string(total.nodes),
                                 std::to_string(total.pods), cell_of(total.processes)};
  for (const std::string& resource : resources) cells.push_back(cell_of(total.requests, resource));
  return cells;
}

std::vector<std::string> admission_lines(const JobPlan& job) {
  std::vector<std::string> lines;
  if (!job.admission) return lines;
  const Admission& admission = *job.admission;
  switch (admission.verdict) {
    case Verdict::NotQueued: lines.emplace_back("is not queued: it names no LocalQueue of Kueue"); break;
    case Verdict::Admitted: lines.push_back(admitted_text(admission)); break;
    case Verdict::Never: lines.emplace_back("can never be admitted"); break;
  }
  for (size_t i = 0; i < admission.flavors.size(); ++i) {
    const std::string& set = admission.flavors[i].pod_set;
    if (i == 0 || admission.flavors[i - 1].pod_set != set)
      lines.push_back(flavors_of_set(admission.flavors, set));
  }
  for (const Obstacle& obstacle : admission.obstacles) lines.push_back(place_of(obstacle) + obstacle.reason);
  for (const std::string& condition : admission.conditions) lines.push_back("not checked: " + condition);
  return lines;
}

RankVariables variables_of(const JobPlan& job) {
  const auto text_of = [](const Variable& variable) {
    return base::one_line(
        fmt::format("{}={}", variable.name,
                    variable.source.empty() ? variable.value : fmt::format("<{}>", variable.source)));
  };
  std::map<std::string, size_t> counts;
  for (const RankNode& node : job.ranks) {
    for (const Variable& variable : node.env) ++counts[text_of(variable)];
  }
  RankVariables variables;
  std::set<std::string> seen;
  for (const RankNode& node : job.ranks) {
    std::vector<std::string>& own = variables.own.emplace_back();
    for (const Variable& variable : node.env) {
      std::string text = text_of(variable);
      if (counts[text] < job.ranks.size()) {
        own.push_back(std::move(text));
      } else if (seen.insert(text).second) {
        variables.common.push_back(std::move(text));
      }
    }
  }
  return variables;
}

std::string ranks_text(const RankNode& node) {
  if (!node.first_rank || node.ranks <= 0) return "-";
  if (node.ranks == 1) return std::to_string(*node.first_rank);
  return fmt::format("{}-{}", *node.first_rank, *node.first_rank + node.ranks - 1);
}

}  // namespace trainjobc::plan
