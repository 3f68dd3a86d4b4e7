// The claims that the JobSet controller makes of volumeClaimPolicies, before it makes any Job.
#pragma once

#include "k8s/check/field.h"
#include "k8s/check/violation_report.h"

namespace trainjobc::k8s::job {

// `spec` of a JobSet. Where one claim is refused, JobSet makes no Job and says so in an event,
// PVCCreationFailed. Source of the rules: k8s.io/kubernetes, ValidatePersistentVolumeClaim.
void check_claim_templates(const Field& spec, Report& report);

}  // namespace trainjobc::k8s::job
