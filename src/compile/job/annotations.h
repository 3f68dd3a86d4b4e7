// Annotations of a pod template that mean something to the API server.
#pragma once

#include "compile/job/field.h"
#include "compile/job/report.h"

namespace trainjobc::compile::job {

// Old ways to say what the spec has fields for now, and a few settings. They must not contradict the spec.
void check_pod_annotations(const Field& annotations, const Field& spec, Report& report);

}  // namespace trainjobc::compile::job
