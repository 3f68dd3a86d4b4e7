// SPDX-License-Identifier: Apache-2.0

#include <nlohmann/json.hpp>

#include "features/plan/format/plan_formats.h"

namespace trainjobc::plan {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const std::optional<int64_t>& number) {
  return number ? ordered_json(*number) : ordered_json(nullptr);
}

ordered_json json_of(const Amounts& amounts) {
  ordered_json json = ordered_json::object();
  for (const auto& [resource, quantity] : amounts) json[resource] = quantity.to_string();
  return json;
}

ordered_json json_of(const PodSet& set) {
  return {
      {"name", set.name}, {"pods", set.pods}, {"requestsPerPod", json_of(set.per_pod)}, {"hosts", set.hosts}};
}

ordered_json json_of(const RankNode& node) {
  ordered_json env = ordered_json::array();
  for (const Variable& variable : node.env) {
    ordered_json one{{"name", variable.name}};
    one[variable.source.empty() ? "value" : "from"] =
        variable.source.empty() ? variable.value : variable.source;
    env.push_back(std::move(one));
  }
  return {{"host", node.host},           {"podSet", node.pod_set},
          {"container", node.container}, {"firstRank", json_of(node.first_rank)},
          {"ranks", node.ranks},         {"command", node.command},
          {"env", std::move(env)}};
}

ordered_json json_of(const Admission& admission) {
  ordered_json flavors = ordered_json::array();
  for (const AssignedFlavor& flavor : admission.flavors) {
    flavors.push_back({{"podSet", flavor.pod_set},
                       {"resource", flavor.resource},
                       {"requested", flavor.requested},
                       {"flavor", flavor.flavor},
                       {"borrows", flavor.borrows}});
  }
  ordered_json obstacles = ordered_json::array();
  for (const Obstacle& obstacle : admission.obstacles) {
    obstacles.push_back({{"podSet", obstacle.pod_set},
                         {"resource", obstacle.resource},
                         {"flavor", obstacle.flavor},
                         {"requested", obstacle.requested},
                         {"most", obstacle.most},
                         {"reason", obstacle.reason}});
  }
  return {{"verdict", to_string(admission.verdict)}, {"localQueue", admission.local_queue},
          {"clusterQueue", admission.cluster_queue}, {"cohort", admission.cohort},
          {"flavors", std::move(flavors)},           {"missing", std::move(obstacles)},
          {"notChecked", admission.conditions}};
}

ordered_json json_of(const JobPlan& job, const PlanFormat& format) {
  ordered_json json{{"object", job.id},
                    {"namespace", job.ns},
                    {"name", job.name},
                    {"runtime", job.runtime},
                    {"framework", job.framework},
                    {"queue", job.queue},
                    {"nodes", job.nodes},
                    {"pods", job.pods},
                    {"processes", json_of(job.processes)},
                    {"gangMinimum", json_of(job.gang_minimum)},
                    {"requests", json_of(job.requests)}};
  json["podSets"] = ordered_json::array();
  for (const PodSet& set : job.pod_sets) json["podSets"].push_back(json_of(set));
  if (format.ranks) {
    json["hostfile"] = job.hostfile;
    json["containers"] = ordered_json::array();
    for (const RankNode& node : job.ranks) json["containers"].push_back(json_of(node));
    json["containersLeftOut"] = job.ranks_left_out;
  }
  if (job.admission) json["admission"] = json_of(*job.admission);
  return json;
}

ordered_json json_of(const Total& total) {
  return {{"jobs", total.jobs},
          {"nodes", total.nodes},
          {"pods", total.pods},
          {"processes", json_of(total.processes)},
          {"requests", json_of(total.requests)}};
}

}  // namespace

std::string format_json(const Plan& plan, const PlanFormat& format) {
  ordered_json jobs = ordered_json::array();
  for (const JobPlan& job : plan.jobs) jobs.push_back(json_of(job, format));
  ordered_json totals = ordered_json::array();
  for (const Total& total : plan.totals) {
    ordered_json one{{"namespace", total.ns}, {"queue", total.queue}};
    one.update(json_of(total));
    totals.push_back(std::move(one));
  }
  const ordered_json json{
      {"jobs", std::move(jobs)}, {"totals", std::move(totals)}, {"total", json_of(plan.total)}};
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace trainjobc::plan
