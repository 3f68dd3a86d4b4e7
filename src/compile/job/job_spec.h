// The Job's own spec, without its pod template.
#pragma once

#include <string>

#include "compile/job/field.h"
#include "compile/job/labels.h"
#include "compile/job/report.h"

namespace trainjobc::compile::job {

void check_job_spec(const Field& spec, Report& report);

// spec.podFailurePolicy, and the containers it names.
void check_pod_failure_policy(const Field& spec, Report& report);
// spec.successPolicy of a Job of any completion mode.
void check_success_policy(const Field& spec, Report& report);

// The pod template's labels and the selector that must match them. The API server generates both unless
// spec.manualSelector is set, and refuses labels and selectors that contradict what it would generate.
void check_job_selector(const Field& spec, const std::string& job_name, Report& report);

}  // namespace trainjobc::compile::job
