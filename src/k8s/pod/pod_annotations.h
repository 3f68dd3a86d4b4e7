// SPDX-License-Identifier: Apache-2.0

// Annotations of a pod template that the API server interprets.
#pragma once

#include "k8s/check/field.h"
#include "k8s/check/violation_report.h"

namespace trainjobc::k8s::job {

// Old forms of what are now fields of the spec, and a few settings. They must not contradict the spec.
void check_pod_annotations(const Field& annotations, const Field& spec, Report& report);

}  // namespace trainjobc::k8s::job
