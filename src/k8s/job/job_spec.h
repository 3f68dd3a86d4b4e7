// SPDX-License-Identifier: Apache-2.0

// The Job's own spec, without its pod template.
#pragma once

#include <string>

#include "k8s/check/field.h"
#include "k8s/check/violation_report.h"
#include "k8s/pod/label_selectors.h"

namespace trainjobc::k8s::job {

void check_job_spec(const Field& spec, Report& report);

// spec.podFailurePolicy, and the containers that it names.
void check_pod_failure_policy(const Field& spec, Report& report);
// spec.successPolicy of a Job of any completion mode.
void check_success_policy(const Field& spec, Report& report);

// The pod template's labels and the selector that must match them. The API server generates both unless
// spec.manualSelector is set, and refuses labels and selectors that contradict what it would generate.
void check_job_selector(const Field& spec, const std::string& job_name, Report& report);

}  // namespace trainjobc::k8s::job
