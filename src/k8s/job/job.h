// SPDX-License-Identifier: Apache-2.0

// What a kube-apiserver refuses when the JobSet controller creates the Jobs of an admitted JobSet.
// Source of the rules: k8s.io/kubernetes, pkg/apis/batch/validation and pkg/apis/core/validation; what the
// controller makes of the JobSet is in k8s/jobset/jobset.h.
#pragma once

#include "k8s/violations.h"
#include "yaml/node.h"

namespace trainjobc::k8s::job {

// Violations of all replicatedJobs' first Jobs and their pod templates, after the API server's own
// defaulting. Fields are paths in the JobSet, such as spec.replicatedJobs[1].template.spec.template.spec,
// locations the inputs that caused them; rules begin with "job/". The caller sets stage and object.
Violations validate_jobs(const yaml::Node& admitted_job_set, const yaml::Maker& make,
                         const KubernetesBehaviour& kubernetes = default_kubernetes());

}  // namespace trainjobc::k8s::job
