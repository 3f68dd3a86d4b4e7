// SPDX-License-Identifier: Apache-2.0

// Reports of plans.
#pragma once

#include <string>

#include "features/plan/plan.h"

namespace trainjobc::plan {

struct PlanFormat {
  bool ranks = false;
  bool quota = false;  // whether jobs could be admitted
  size_t width = 0;    // of the terminal; 0: none
};

// For people: a table of the jobs, and one of the totals.
std::string format_text(const Plan& plan, const PlanFormat& format);
// For a comment on a pull request, at most as long as GitHub accepts.
std::string format_markdown(const Plan& plan, const PlanFormat& format);
// For programs: {"jobs": [...], "totals": [...], "total": {...}}
std::string format_json(const Plan& plan, const PlanFormat& format);

}  // namespace trainjobc::plan
