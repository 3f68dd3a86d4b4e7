// SPDX-License-Identifier: Apache-2.0

#include "k8s/jobset/webhook_rules.h"

namespace trainjobc::k8s::jobset {

void check_webhook_rules(const yaml::Node& admitted, const Behaviour& behaviour, Violations& out) {
  const JobSetView job_set = view_job_set(admitted);
  if (!job_set.spec) return;
  check_names(job_set, out);
  check_pod_counts(job_set, out);
  check_depends_on(job_set, out);
  check_success_policy(job_set, out);
  check_failure_policy(job_set, behaviour, out);
  check_coordinator(job_set, behaviour, out);
  check_volume_claims(job_set, out);
}

}  // namespace trainjobc::k8s::jobset
