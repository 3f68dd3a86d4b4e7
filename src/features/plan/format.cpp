// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "base/text/printable.h"
#include "base/text/text.h"
#include "features/plan/plan.h"
#include "lint/report/document.h"
#include "lint/report/json.h"

namespace trainjobc::plan {
namespace {

using report::Block;
using report::Column;
using report::Json;
using report::Style;

std::string cell_of(const std::optional<int64_t>& number, std::string_view unknown) {
  return number ? std::to_string(*number) : std::string(unknown);
}

std::string cell_of(const Amounts& amounts, const std::string& resource) {
  const auto found = amounts.find(resource);
  return found != amounts.end() ? found->second.exact_text() : "-";
}

std::string or_dash(std::string_view text) {
  return text.empty() ? "-" : std::string(text);
}

// "-" if no label says which pods train.
std::string nodes_cell(const JobPlan& job) {
  return job.nodes == 0 && !job.unknown.empty() ? "-" : std::to_string(job.nodes);
}

std::string name_of(const JobPlan& job) {
  return fmt::format("{}/{}", job.ns, job.name);
}

std::string title_of(const JobPlan& job) {
  return job.scope.empty() ? name_of(job) : fmt::format("{}: {}", job.scope, name_of(job));
}

bool has_scopes(const Plan& plan) {
  return !plan.jobs.empty() && !plan.jobs.front().scope.empty();
}

std::string hosts_text(const JobPlan& job) {
  std::string text;
  for (const PodSet& set : job.pod_sets) {
    if (!set.hosts.empty()) text += (text.empty() ? "" : " ") + set.hosts;
  }
  return or_dash(text);
}

// The resources that get a column of their own: all of them if they are few, otherwise those of most jobs. If
// each job requested other resources, a column for each would make the table's size quadratic.
class ResourceColumns {
 public:
  explicit ResourceColumns(const Plan& plan) : own_(in_order(plan.total.requests)) {
    if (own_.size() <= kMost) return;
    has_others_ = true;
    std::map<std::string_view, size_t> jobs;
    for (const JobPlan& job : plan.jobs) {
      for (const auto& [resource, amount] : job.requests) ++jobs[resource];
    }
    std::vector<std::string> frequent = own_;
    std::ranges::stable_sort(frequent, std::greater(),
                             [&](const std::string& resource) { return jobs[resource]; });
    const std::set<std::string> kept(frequent.begin(), frequent.begin() + kMost);
    std::erase_if(own_, [&](const std::string& resource) { return !kept.contains(resource); });
  }

  void add_titles(std::vector<Column>& columns) const {
    for (const std::string& resource : own_) columns.push_back({resource, true});
    if (has_others_) columns.push_back({"OTHER"});
  }

  void add_cells(const Amounts& amounts, std::vector<std::string>& cells) const {
    for (const std::string& resource : own_) cells.push_back(cell_of(amounts, resource));
    if (!has_others_) return;
    std::string others;
    for (const auto& [resource, amount] : amounts) {
      if (base::contains(own_, resource)) continue;
      others += fmt::format("{}{} {}", others.empty() ? "" : ", ", amount.exact_text(), resource);
    }
    cells.push_back(or_dash(others));
  }

 private:
  static constexpr size_t kMost = 12;

  std::vector<std::string> own_;
  bool has_others_ = false;
};

Block jobs_table(const Plan& plan) {
  const ResourceColumns resources(plan);
  Block block;
  std::vector<Column>& columns = block.table.columns;
  columns = {{"JOB"}, {"NODES", true}, {"PODS", true}, {"PROCESSES", true}, {"GANG", true}};
  resources.add_titles(columns);
  columns.insert(columns.end(), {{"QUEUE"}, {"HOSTS"}});
  if (has_scopes(plan)) columns.insert(columns.begin(), Column{"SCOPE"});
  for (const JobPlan& job : plan.jobs) {
    std::vector<std::string> cells{name_of(job), nodes_cell(job), std::to_string(job.pods),
                                   cell_of(job.processes, "?"), cell_of(job.gang_minimum, "-")};
    resources.add_cells(job.requests, cells);
    cells.push_back(or_dash(job.queue));
    cells.push_back(hosts_text(job));
    if (has_scopes(plan)) cells.insert(cells.begin(), job.scope);
    block.table.rows.push_back(std::move(cells));
  }
  return block;
}

Block totals_table(const Plan& plan) {
  const ResourceColumns resources(plan);
  Block block;
  std::vector<Column>& columns = block.table.columns;
  columns = {{"NAMESPACE"}, {"QUEUE"}, {"JOBS", true}, {"NODES", true}, {"PODS", true}, {"PROCESSES", true}};
  resources.add_titles(columns);
  if (has_scopes(plan)) columns.insert(columns.begin(), Column{"SCOPE"});
  const auto add = [&](std::vector<std::string> cells, const Total& total) {
    if (!has_scopes(plan)) cells.erase(cells.begin());
    const bool is_unknown = total.nodes == 0 && !total.processes;
    cells.insert(cells.end(), {std::to_string(total.jobs), is_unknown ? "-" : std::to_string(total.nodes),
                               std::to_string(total.pods), cell_of(total.processes, "?")});
    resources.add_cells(total.requests, cells);
    block.table.rows.push_back(std::move(cells));
  };
  for (const Total& total : plan.totals) add({total.scope, or_dash(total.ns), or_dash(total.queue)}, total);
  if (plan.totals.size() > 1)
    add(has_scopes(plan) ? std::vector<std::string>{"total", "", ""}
                         : std::vector<std::string>{"", "total", ""},
        plan.total);
  return block;
}

// The jobs that use most of a resource: "bert 16, llama 8 and 3 more".
std::string users_text(const QuotaPlan::Resource& resource) {
  constexpr size_t kMost = 3;
  std::vector<std::pair<std::string, k8s::Quantity>> jobs = resource.jobs;
  std::ranges::stable_sort(jobs, [](const auto& a, const auto& b) { return a.second.compare(b.second) > 0; });
  std::string text;
  for (size_t i = 0; i < std::min(jobs.size(), kMost); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", jobs[i].first.substr(jobs[i].first.rfind('/') + 1),
                        jobs[i].second.exact_text());
  if (jobs.size() > kMost) text += fmt::format(" and {} more", jobs.size() - kMost);
  return or_dash(text);
}

Block quotas_table(const Plan& plan) {
  Block block;
  std::vector<Column>& columns = block.table.columns;
  columns = {{"NAMESPACE"}, {"RESOURCEQUOTA"}, {"RESOURCE"}, {"HARD", true}, {"USED", true}, {"JOBS"}};
  if (has_scopes(plan)) columns.insert(columns.begin(), Column{"SCOPE"});
  for (const QuotaPlan& quota : plan.quotas) {
    for (const QuotaPlan::Resource& resource : quota.resources) {
      std::vector<std::string> cells{quota.ns,
                                     quota.name,
                                     resource.name,
                                     resource.hard.exact_text(),
                                     resource.used ? resource.used->exact_text() : "?",
                                     users_text(resource)};
      if (has_scopes(plan)) cells.insert(cells.begin(), quota.scope);
      block.table.rows.push_back(std::move(cells));
    }
  }
  return block;
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

// The flavors of a pod set: "node: 32 nvidia.com/gpu of h100, 96 cpu of default".
std::string flavors_of_set(const std::vector<AssignedFlavor>& all, const std::string& set) {
  std::string text;
  for (const AssignedFlavor& flavor : all) {
    if (flavor.pod_set != set) continue;
    text += fmt::format("{}{} {} of {}{}", text.empty() ? "" : ", ", flavor.requested, flavor.resource,
                        flavor.flavor, flavor.borrows ? " (borrowed)" : "");
  }
  return fmt::format("{}: {}", set, text);
}

// The report on a job: in a comment it follows the job's title, otherwise it is one sentence.
Block block_on(const JobPlan& job, const std::string& text, bool is_comment) {
  Block block{.is_continued = true};
  if (is_comment) {
    block.head = {{title_of(job), Style::Title}, {text}};
  } else {
    block.head = {{fmt::format("{} {}", title_of(job), text)}};
  }
  return block;
}

std::string verdict_text(const Admission& admission) {
  switch (admission.verdict) {
    case Verdict::NotQueued: return "is not queued: it names no LocalQueue of Kueue";
    case Verdict::Never: return "can never be admitted";
    case Verdict::Admitted: break;
  }
  const std::string cohort = admission.cohort.empty() ? "" : fmt::format(" of cohort {}", admission.cohort);
  return fmt::format("can be admitted by ClusterQueue {}{}", admission.cluster_queue, cohort);
}

// Reports whether quotas admit the job, and what is missing.
Block admission_of(const JobPlan& job, bool is_comment) {
  const Admission& admission = *job.admission;
  Block block = block_on(job, verdict_text(admission), is_comment);
  const auto add = [&](std::string line) { block.lines.push_back({{{std::move(line)}}}); };
  for (size_t i = 0; i < admission.flavors.size(); ++i) {
    const std::string& set = admission.flavors[i].pod_set;
    if (i == 0 || admission.flavors[i - 1].pod_set != set) add(flavors_of_set(admission.flavors, set));
  }
  for (const Obstacle& obstacle : admission.obstacles) add(place_of(obstacle) + obstacle.reason);
  for (const std::string& condition : admission.conditions) add("not checked: " + condition);
  return block;
}

// The queued jobs, sorted by scope and turn.
std::vector<const JobPlan*> queued_jobs(const Plan& plan) {
  std::vector<const JobPlan*> jobs;
  for (const JobPlan& job : plan.jobs) {
    if (job.admission && job.admission->together) jobs.push_back(&job);
  }
  std::ranges::stable_sort(
      jobs, {}, [](const JobPlan* job) { return std::tie(job->scope, job->admission->together->turn); });
  return jobs;
}

bool is_pending(const JobPlan& job) {
  return job.admission->together->pending != Pending::No;
}

// Names the flavors if they differ from those that the job would get alone.
std::string admitted_text(const Admission& admission) {
  const std::vector<AssignedFlavor>& flavors = admission.together->flavors;
  if (std::ranges::equal(flavors, admission.flavors, {}, &AssignedFlavor::flavor, &AssignedFlavor::flavor))
    return "admitted";
  std::string text = "admitted";
  for (size_t i = 0; i < flavors.size(); ++i) {
    if (i > 0 && flavors[i - 1].pod_set == flavors[i].pod_set) continue;
    text += fmt::format("{} {}", i == 0 ? "," : ";", flavors_of_set(flavors, flavors[i].pod_set));
  }
  return text;
}

std::string result_of(const JobPlan& job) {
  if (!is_pending(job)) return admitted_text(*job.admission);
  return job.admission->verdict == Verdict::Never ? "never" : "pending";
}

std::string pending_text(const JobPlan& job) {
  const Outcome& outcome = *job.admission->together;
  const std::string others = outcome.others < 2 ? outcome.other
                                                : fmt::format("{} and {}", outcome.other,
                                                              base::counted(outcome.others - 1, "other job"));
  switch (outcome.pending) {
    case Pending::No: return "";
    case Pending::Quota:
      return others.empty() ? "stays pending"
                            : fmt::format("stays pending: what it needs is used by {}", others);
    case Pending::Behind:
      return fmt::format("stays pending behind {}: ClusterQueue {} is StrictFIFO", outcome.other,
                         job.admission->cluster_queue);
    case Pending::Reserved:
      return others.empty() ? "stays pending"
                            : fmt::format("stays pending: what is unused is kept for {}", outcome.other);
    case Pending::Displaced: return fmt::format("is displaced by {}, and stays pending", outcome.other);
  }
  return "";
}

// Reports which of the queued jobs can be admitted at the same time.
void add_together(const Plan& plan, bool is_comment, std::vector<Block>& blocks) {
  const std::vector<const JobPlan*> jobs = queued_jobs(plan);
  if (jobs.size() < 2) return;
  const auto pending = std::ranges::count_if(jobs, [](const JobPlan* job) { return is_pending(*job); });
  Block summary;
  summary.head = {
      {fmt::format("{} of {} queued jobs can be admitted at the same time; Kueue tries them in this order:",
                   std::ssize(jobs) - pending, jobs.size())}};
  summary.is_continued = !is_comment;
  blocks.push_back(std::move(summary));
  Block block;
  block.table.columns = {{"TURN", true}, {"JOB"}, {"CLUSTERQUEUE"}, {"PRIORITY", true}, {"RESULT"}};
  if (has_scopes(plan)) block.table.columns.insert(block.table.columns.begin(), Column{"SCOPE"});
  for (const JobPlan* job : jobs) {
    const Admission& admission = *job->admission;
    std::vector<std::string> cells{std::to_string(admission.together->turn), name_of(*job),
                                   admission.cluster_queue, std::to_string(admission.workload->priority),
                                   result_of(*job)};
    if (has_scopes(plan)) cells.insert(cells.begin(), job->scope);
    block.table.rows.push_back(std::move(cells));
  }
  blocks.push_back(std::move(block));
  for (const JobPlan* job : jobs) {
    // Jobs that can never be admitted have been reported.
    if (!is_pending(*job) || job->admission->verdict == Verdict::Never) continue;
    Block& reasons = blocks.emplace_back(block_on(*job, pending_text(*job), is_comment));
    for (const Obstacle& obstacle : job->admission->together->obstacles)
      reasons.lines.push_back({{{place_of(obstacle) + obstacle.reason}}});
  }
  blocks.back().is_continued = false;
}

// The variables that all containers have in common, and those that differ for each, as NAME=value.
struct RankVariables {
  std::vector<std::string> common;
  std::vector<std::vector<std::string>> own;  // one list per container
};

RankVariables variables_of(const JobPlan& job) {
  const auto text_of = [](const launch::Variable& variable) {
    return base::one_line(
        fmt::format("{}={}", variable.name,
                    variable.source.empty() ? variable.value : fmt::format("<{}>", variable.source)));
  };
  std::map<std::string, size_t> counts;
  for (const RankNode& node : job.ranks) {
    for (const launch::Variable& variable : node.env) ++counts[text_of(variable)];
  }
  RankVariables variables;
  std::set<std::string> seen;
  for (const RankNode& node : job.ranks) {
    std::vector<std::string>& own = variables.own.emplace_back();
    for (const launch::Variable& variable : node.env) {
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

// "0-7", "3"; "-" if the ranks are unknown.
std::string ranks_text(const RankNode& node) {
  if (!node.first_rank || node.ranks <= 0) return "-";
  if (node.ranks == 1) return std::to_string(*node.first_rank);
  return fmt::format("{}-{}", *node.first_rank, *node.first_rank + node.ranks - 1);
}

// A setting as text: "nodes 4 (PET_NNODES)".
std::string setting_text(const LaunchPlan::Setting& setting) {
  std::string source = setting.source;
  if (!setting.place.empty()) source += " at " + setting.place;
  return base::one_line(fmt::format("{} {} ({})", setting.name, setting.value, source));
}

// What starts the processes, and its settings other than defaults.
std::string launch_text(const LaunchPlan& launch) {
  std::vector<std::string> settings;
  for (const LaunchPlan::Setting& setting : launch.settings) {
    if (!setting.is_default) settings.push_back(setting_text(setting));
  }
  return fmt::format("launcher: {} ({}): {}{}{}", launch.program, launch.version, launch.result,
                     settings.empty() ? "" : "; ", fmt::join(settings, ", "));
}

// The ranks as one block of code.
Block folded_ranks(const JobPlan& job) {
  const RankVariables variables = variables_of(job);
  Block block{.head = {{title_of(job)}}, .folded = "ranks"};
  block.code = fmt::format("environment: {}\n", fmt::join(variables.common, " "));
  if (job.launch) block.code += launch_text(*job.launch) + "\n";
  for (size_t i = 0; i < job.ranks.size(); ++i) {
    const RankNode& node = job.ranks[i];
    block.code += fmt::format("{}  {}  {}\n  {}\n", ranks_text(node), node.host,
                              fmt::join(variables.own[i], " "), fmt::join(node.command, " "));
  }
  if (!job.hostfile.empty()) block.code += fmt::format("hostfile:\n{}", job.hostfile);
  return block;
}

std::string words_text(const std::vector<std::string>& words) {
  return words.empty() ? "the image's own" : base::one_line(fmt::format("{}", fmt::join(words, " ")));
}

// Adds a table of the containers for each command.
void add_ranks(const JobPlan& job, std::vector<Block>& blocks) {
  const RankVariables variables = variables_of(job);
  const auto next_block = [&] {
    blocks.emplace_back().is_continued = true;
    return &blocks.back();
  };
  Block* block = next_block();
  const auto add = [&](std::string line) { block->lines.push_back({{{std::move(line)}}}); };
  block->head = {
      {fmt::format("{}: {}, {} process{}", title_of(job), base::counted(job.nodes, "node"),
                   cell_of(job.processes, "an unknown number of"), job.processes == 1 ? "" : "es")}};
  if (!variables.common.empty()) add(fmt::format("environment: {}", fmt::join(variables.common, " ")));
  if (job.launch) add(launch_text(*job.launch));
  for (size_t i = 0; i < job.ranks.size(); ++i) {
    const RankNode& node = job.ranks[i];
    if (i == 0 || job.ranks[i - 1].command != node.command) {
      if (i > 0) block = next_block();
      add("command: " + words_text(node.command));
      block->table.columns = {{"  RANKS"}, {"HOST"}, {"CONTAINER"}, {"ENVIRONMENT"}};
    }
    block->table.rows.push_back({"  " + ranks_text(node), node.host,
                                 fmt::format("{}/{}", node.pod_set, node.container),
                                 fmt::format("{}", fmt::join(variables.own[i], " "))});
  }
  if (job.ranks_left_out > 0 || !job.hostfile.empty()) block = next_block();
  if (job.ranks_left_out > 0) add(fmt::format("… and {} more", job.ranks_left_out));
  if (!job.hostfile.empty()) add("hostfile:");
  block->code = job.hostfile;
  block->is_continued = false;
}

// Says why the number of processes is unknown, for jobs that do not show it.
void add_unknown(const Plan& plan, bool is_comment, std::vector<Block>& blocks) {
  for (const JobPlan& job : plan.jobs) {
    if (!job.unknown.empty())
      blocks.push_back(
          block_on(job, fmt::format("has an unknown number of processes: {}", job.unknown), is_comment));
  }
  blocks.back().is_continued = false;
}

// In a text, the jobs come first; in a comment, the totals.
report::Document document_of(const Plan& plan, const PlanFormat& format, bool is_comment) {
  report::Document document;
  if (is_comment) {
    document.heading = fmt::format("trainjobc plan: {}, {}", base::counted(plan.total.jobs, "job"),
                                   base::counted(plan.total.pods, "pod"));
  }
  if (plan.jobs.empty()) return document;
  std::vector<Block>& blocks = document.blocks;
  blocks.push_back(is_comment ? totals_table(plan) : jobs_table(plan));
  if (!is_comment) add_unknown(plan, is_comment, blocks);
  blocks.push_back(is_comment ? jobs_table(plan) : totals_table(plan));
  if (is_comment) add_unknown(plan, is_comment, blocks);
  if (!platform::kIsPage && !plan.quotas.empty()) blocks.push_back(quotas_table(plan));
  if (format.quota) {
    for (const JobPlan& job : plan.jobs) {
      if (job.admission) blocks.push_back(admission_of(job, is_comment));
    }
    blocks.back().is_continued = false;
    add_together(plan, is_comment, blocks);
  }
  if (format.ranks) {
    for (const JobPlan& job : plan.jobs) {
      if (is_comment) {
        blocks.push_back(folded_ranks(job));
      } else {
        add_ranks(job, blocks);
      }
    }
  }
  blocks.back().is_continued = true;
  return document;
}

Json to_json(const Amounts& amounts) {
  Json json = Json::object();
  for (const auto& [resource, quantity] : amounts) json.add(resource, quantity.exact_text());
  return json;
}

Json to_json(const PodSet& set) {
  return {
      {"name", set.name}, {"pods", set.pods}, {"requestsPerPod", to_json(set.per_pod)}, {"hosts", set.hosts}};
}

Json to_json(const launch::Variable& variable) {
  const bool is_known = variable.source.empty();
  return {{"name", variable.name},
          {is_known ? "value" : "from", is_known ? variable.value : variable.source}};
}

Json to_json(const RankNode& node) {
  return {{"host", node.host},
          {"podSet", node.pod_set},
          {"container", node.container},
          {"firstRank", node.first_rank},
          {"ranks", node.ranks},
          {"command", Json::array(node.command)},
          {"env", Json::array(node.env, [](const launch::Variable& variable) { return to_json(variable); })}};
}

Json to_json(const AssignedFlavor& flavor) {
  return {{"podSet", flavor.pod_set},
          {"resource", flavor.resource},
          {"requested", flavor.requested},
          {"flavor", flavor.flavor},
          {"borrows", flavor.borrows}};
}

Json to_json(const Obstacle& obstacle) {
  return {{"podSet", obstacle.pod_set},      {"resource", obstacle.resource}, {"flavor", obstacle.flavor},
          {"requested", obstacle.requested}, {"most", obstacle.most},         {"reason", obstacle.reason}};
}

Json to_json(const std::vector<AssignedFlavor>& flavors) {
  return Json::array(flavors, [](const AssignedFlavor& one) { return to_json(one); });
}

Json to_json(const Outcome& outcome, int64_t priority) {
  const auto missing = [](const Obstacle& one) {
    Json json = to_json(one);
    json.add("unused", one.unused);
    return json;
  };
  return {{"verdict", outcome.pending == Pending::No ? "admitted" : "pending"},
          {"turn", outcome.turn},
          {"priority", priority},
          {"flavors", to_json(outcome.flavors)},
          {"cause", to_string(outcome.pending)},
          {"job", outcome.other},
          {"jobs", outcome.others},
          {"missing", Json::array(outcome.obstacles, missing)}};
}

Json to_json(const Admission& admission) {
  Json json{{"verdict", to_string(admission.verdict)},
            {"localQueue", admission.local_queue},
            {"clusterQueue", admission.cluster_queue},
            {"cohort", admission.cohort},
            {"flavors", to_json(admission.flavors)},
            {"missing", Json::array(admission.obstacles, [](const Obstacle& one) { return to_json(one); })},
            {"notChecked", Json::array(admission.conditions)}};
  if (admission.together) json.add("together", to_json(*admission.together, admission.workload->priority));
  return json;
}

Json to_json(const LaunchPlan& launch) {
  const auto setting = [](const LaunchPlan::Setting& one) {
    return Json{{"name", one.name}, {"value", one.value}, {"from", one.source}, {"place", one.place}};
  };
  return {{"program", launch.program},
          {"version", launch.version},
          {"result", launch.result},
          {"settings", Json::array(launch.settings, setting)}};
}

Json to_json(const JobPlan& job, const PlanFormat& format) {
  Json labels = Json::object();
  for (const auto& [name, value] : job.labels) labels.add(name, value);
  Json json{{"object", job.id},
            {"namespace", job.ns},
            {"name", job.name},
            {"labels", labels},
            {"runtime", job.runtime},
            {"framework", job.framework},
            {"images", Json::array(job.images)},
            {"queue", job.queue},
            {"nodes", job.nodes},
            {"pods", job.pods},
            {"processes", job.processes},
            {"gangMinimum", job.gang_minimum},
            {"requests", to_json(job.requests)},
            {"podSets", Json::array(job.pod_sets, [](const PodSet& set) { return to_json(set); })}};
  if (!job.unknown.empty()) json.add("unknown", job.unknown);
  if (!job.scope.empty()) json.add("scope", job.scope);
  if (format.ranks) {
    json.add("hostfile", job.hostfile);
    if (job.launch) json.add("launch", to_json(*job.launch));
    json.add("containers", Json::array(job.ranks, [](const RankNode& node) { return to_json(node); }));
    json.add("containersLeftOut", job.ranks_left_out);
  }
  if (job.admission) json.add("admission", to_json(*job.admission));
  return json;
}

Json to_json(const QuotaPlan& quota) {
  const auto resource = [](const QuotaPlan::Resource& one) {
    const auto use = [](const auto& job) {
      return Json{{"object", job.first}, {"used", job.second.exact_text()}};
    };
    return Json{{"resource", one.name},
                {"hard", one.hard.exact_text()},
                {"used", one.used ? std::optional(one.used->exact_text()) : std::nullopt},
                {"jobs", Json::array(one.jobs, use)}};
  };
  Json json{
      {"namespace", quota.ns}, {"name", quota.name}, {"resources", Json::array(quota.resources, resource)}};
  if (!quota.scope.empty()) json.add("scope", quota.scope);
  return json;
}

Json to_json(const Total& total, Json json) {
  json.add("jobs", total.jobs);
  json.add("nodes", total.nodes);
  json.add("pods", total.pods);
  json.add("processes", total.processes);
  json.add("requests", to_json(total.requests));
  return json;
}

}  // namespace

std::string format_text(const Plan& plan, const PlanFormat& format) {
  return report::to_text(document_of(plan, format, false), {.width = format.width});
}

std::string format_markdown(const Plan& plan, const PlanFormat& format) {
  return report::to_markdown(document_of(plan, format, true));
}

std::string format_json(const Plan& plan, const PlanFormat& format) {
  const auto job = [&](const JobPlan& one) { return to_json(one, format); };
  const auto total = [](const Total& one) {
    Json json{{"namespace", one.ns}, {"queue", one.queue}};
    if (!one.scope.empty()) json.add("scope", one.scope);
    return to_json(one, std::move(json));
  };
  Json json{{"version", report::kReportVersion},
            {"jobs", Json::array(plan.jobs, job)},
            {"totals", Json::array(plan.totals, total)},
            {"total", to_json(plan.total, Json::object())}};
  if (!platform::kIsPage && !plan.quotas.empty())
    json.add("quotas", Json::array(plan.quotas, [](const QuotaPlan& one) { return to_json(one); }));
  if (format.quota) {
    const std::vector<const JobPlan*> queued = queued_jobs(plan);
    const auto pending = std::ranges::count_if(queued, [](const JobPlan* one) { return is_pending(*one); });
    json.add("together", {{"admitted", std::ssize(queued) - pending}, {"pending", pending}});
  }
  return json.report();
}

}  // namespace trainjobc::plan
