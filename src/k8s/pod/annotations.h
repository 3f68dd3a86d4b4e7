// Annotations of a pod template that mean something to the API server.
#pragma once

#include "k8s/check/field.h"
#include "k8s/check/violation_report.h"

namespace trainjobc::k8s::job {

// Old ways to say what the spec has fields for now, and a few settings. They must not contradict the spec.
void check_pod_annotations(const Field& annotations, const Field& spec, Report& report);

}  // namespace trainjobc::k8s::job
