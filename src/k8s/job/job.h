// SPDX-License-Identifier: Apache-2.0

// What a kube-apiserver refuses when the JobSet controller creates the Jobs of an admitted JobSet.
// Source of the rules: k8s.io/kubernetes, pkg/apis/batch/validation and pkg/apis/core/validation; what the
// controller makes of the JobSet is in k8s/jobset/jobset.h.
#pragma once

#include <string>

#include "k8s/field.h"
#include "k8s/object_meta.h"
#include "k8s/violations.h"
#include "yaml/node.h"

namespace trainjobc::k8s::job {

// Violations of all replicatedJobs' first Jobs and their pod templates, after the API server's own
// defaulting. Fields are paths in the JobSet, such as spec.replicatedJobs[1].template.spec.template.spec,
// locations the inputs that caused them; rules begin with "job/". The caller sets stage and object.
Violations validate_jobs(const yaml::Node& admitted_job_set, const yaml::Maker& make);

// The Job's own spec, without its pod template.
void check_job_spec(const Field& spec, Report& report);

// spec.podFailurePolicy, and the containers that it names.
void check_pod_failure_policy(const Field& spec, Report& report);
// spec.successPolicy of a Job of any completion mode.
void check_success_policy(const Field& spec, Report& report);

// The pod template's labels and the selector that must match them. The API server generates both unless
// spec.manualSelector is set, and refuses labels and selectors that contradict what it would generate.
void check_job_selector(const Field& spec, const std::string& job_name, Report& report);

}  // namespace trainjobc::k8s::job
