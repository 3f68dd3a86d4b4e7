// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text/layout.h"
#include "base/text/lines.h"
#include "base/text/printable.h"
#include "features/plan/format/plan_formats.h"

namespace trainjobc::plan {
namespace {

std::string jobs_table(const Plan& plan, const std::vector<std::string>& resources, size_t width) {
  std::vector<std::vector<std::string>> rows{job_titles(resources)};
  for (const JobPlan& job : plan.jobs) rows.push_back(job_cells(job, resources));
  return base::table(rows, width);
}

std::string totals_table(const Plan& plan, const std::vector<std::string>& resources, size_t width) {
  std::vector<std::vector<std::string>> rows{total_titles(resources)};
  for (const Total& total : plan.totals) rows.push_back(total_cells(total, resources));
  if (plan.totals.size() > 1) {
    rows.push_back(total_cells(plan.total, resources));
    rows.back()[0] = "total";
    rows.back()[1] = "";
  }
  return base::table(rows, width);
}

std::string admissions_text(const Plan& plan, size_t width) {
  std::string out;
  for (const JobPlan& job : plan.jobs) {
    const std::vector<std::string> lines = admission_lines(job);
    for (size_t i = 0; i < lines.size(); ++i) {
      const std::string line = i == 0 ? fmt::format("{}/{} {}", job.ns, job.name, lines[i]) : "  " + lines[i];
      out += base::wrap(line, width, 4) + "\n";
    }
  }
  return out;
}

std::string words_text(const std::vector<std::string>& words) {
  return words.empty() ? "the image's own" : base::one_line(fmt::format("{}", fmt::join(words, " ")));
}

// The containers of the same command, one row each.
std::string ranks_table(const JobPlan& job, const RankVariables& variables, size_t width) {
  std::string out;
  std::vector<std::vector<std::string>> rows;
  const std::vector<std::string>* command = nullptr;
  const auto end_table = [&] {
    if (!rows.empty()) out += base::table(rows, width);
    rows.clear();
  };
  for (size_t i = 0; i < job.ranks.size(); ++i) {
    const RankNode& node = job.ranks[i];
    if (!command || *command != node.command) {
      end_table();
      command = &node.command;
      out += base::wrap("  command: " + words_text(node.command), width, 4) + "\n";
      rows.push_back({"  RANKS", "HOST", "CONTAINER", "ENVIRONMENT"});
    }
    rows.push_back({"  " + ranks_text(node), node.host, fmt::format("{}/{}", node.pod_set, node.container),
                    fmt::format("{}", fmt::join(variables.own[i], " "))});
  }
  end_table();
  return out;
}

std::string ranks_of_job(const JobPlan& job, size_t width) {
  const RankVariables variables = variables_of(job);
  std::string out =
      fmt::format("{}/{}: {} node{}, {} process{}\n", job.ns, job.name, job.nodes, job.nodes == 1 ? "" : "s",
                  job.processes ? std::to_string(*job.processes) : "an unknown number of",
                  job.processes == 1 ? "" : "es");
  if (!variables.common.empty()) {
    out += base::wrap(fmt::format("  environment: {}", fmt::join(variables.common, " ")), width, 4) + "\n";
  }
  out += ranks_table(job, variables, width);
  if (job.ranks_left_out > 0) out += fmt::format("  … and {} more\n", job.ranks_left_out);
  if (!job.hostfile.empty()) {
    out += "  hostfile:\n";
    for (const std::string_view line : base::Lines(job.hostfile)) out += fmt::format("    {}\n", line);
  }
  return out;
}

}  // namespace

std::string format_text(const Plan& plan, const PlanFormat& format) {
  if (plan.jobs.empty()) return "";
  const std::vector<std::string> resources = resources_of(plan);
  std::string out = jobs_table(plan, resources, format.width);
  out += "\n" + totals_table(plan, resources, format.width);
  if (format.quota) out += "\n" + admissions_text(plan, format.width);
  if (format.ranks) {
    for (const JobPlan& job : plan.jobs) out += "\n" + ranks_of_job(job, format.width);
  }
  return out;
}

}  // namespace trainjobc::plan
