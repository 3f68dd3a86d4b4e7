// SPDX-License-Identifier: Apache-2.0

// Reports of plans, one format per file: format_<name>.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "features/plan/plan.h"

namespace trainjobc::plan {

struct PlanFormat {
  bool ranks = false;
  bool quota = false;  // whether jobs could be admitted
  size_t width = 0;    // of the terminal; 0: none
};

// For people: a table of the jobs, and one of the totals.
std::string format_text(const Plan& plan, const PlanFormat& format);
// For a comment to a pull request, at most as long as GitHub takes it.
std::string format_markdown(const Plan& plan, const PlanFormat& format);
// For programs: {"jobs": [...], "totals": [...], "total": {...}}
std::string format_json(const Plan& plan, const PlanFormat& format);

// What the formats for people share.

// The resources of the plan, in order.
std::vector<std::string> resources_of(const Plan& plan);
// The columns of each job after its name, and their titles.
std::vector<std::string> job_titles(const std::vector<std::string>& resources);
std::vector<std::string> job_cells(const JobPlan& job, const std::vector<std::string>& resources);
// The same of the totals, which have no columns for host names.
std::vector<std::string> total_titles(const std::vector<std::string>& resources);
std::vector<std::string> total_cells(const Total& total, const std::vector<std::string>& resources);

// "can be admitted by ClusterQueue gpu: nvidia.com/gpu from flavor h100", and what is missing, one a line.
std::vector<std::string> admission_lines(const JobPlan& job);
// The variables that all containers have in common, and those of each that differ: NAME=value.
struct RankVariables {
  std::vector<std::string> common;
  std::vector<std::vector<std::string>> own;  // by container
};
RankVariables variables_of(const JobPlan& job);
// "0-7", "3", "-" if they are not known.
std::string ranks_text(const RankNode& node);

}  // namespace trainjobc::plan
