// SPDX-License-Identifier: Apache-2.0

#include "policy/train_job_rules.h"

#include <fmt/format.h>

#include "k8s/name_syntax.h"

namespace trainjobc::policy {

void validate_train_job(const model::TrainJob& job, const model::Behaviours& behaviours, Findings& findings) {
  if (!behaviours.webhook_checks_name || k8s::dns_1035_label_problem(job.id.name).empty()) return;
  findings.add("input/name", "metadata.name", fmt::format("\"{}\" is not a DNS label", job.id.name),
               job.root->at({"metadata", "name"}),
               "use at most 63 lower-case letters, digits and dashes, beginning with a letter");
}

}  // namespace trainjobc::policy
