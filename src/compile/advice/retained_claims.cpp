// SPDX-License-Identifier: Apache-2.0

// Claims that block a job from resuming, or the next job of its name.
#include <fmt/format.h>

#include <span>

#include "compile/advice/checks.h"
#include "model/queue_names.h"
#include "yaml/fields.h"

namespace trainjobc::compile::advice {
namespace {

using yaml::Node;

std::span<const Node* const> policies_of(const Node* job_set_spec) {
  return yaml::items_of(job_set_spec ? job_set_spec->get("volumeClaimPolicies") : nullptr);
}

// What makes the job start suspended: its own field, or Kueue, which suspends jobs with its queue label.
const Node* suspender_of(const Node& job, std::string& field) {
  const Node* suspend = job.at({"spec", "suspend"});
  field = "spec.suspend";
  if (suspend && suspend->as_bool() == true) return suspend;
  const Node* queue = job.at({"metadata", "labels", model::kKueueLabel});
  field = fmt::format("metadata.labels[{}]", model::kKueueLabel);
  return queue && !queue->text().empty() ? queue : nullptr;
}

}  // namespace

void check_retained_claims(const RuntimeContext& context, Advisor& advisor) {
  const auto policies = policies_of(context.runtime.job_set_spec);
  for (size_t i = 0; i < policies.size(); ++i) {
    const Node* when = policies[i]->at({"retentionPolicy", "whenDeleted"});
    if (!when || when->text() != "Retain") continue;
    advisor.warn(
        "advice/claim-retained",
        fmt::format("spec.template.spec.volumeClaimPolicies[{}].retentionPolicy.whenDeleted", i),
        "these claims outlive their job, and JobSet refuses the next job of that name while they exist",
        yaml::locate(*when), "give each job a unique name, or delete its claims before the next one");
  }
}

void check_suspended_claims(const AdviceContext& context, Advisor& advisor) {
  std::string field;
  const Node* suspender = suspender_of(*context.job.root, field);
  if (!suspender) return;
  for (const Node* policy : policies_of(context.runtime.job_set_spec)) {
    if (policy->get("retentionPolicy")) continue;
    base::Diagnostic& found =
        advisor.warn("advice/claim-policy", std::move(field),
                     "the job starts suspended and stays suspended: its runtime's volumeClaimPolicies lack "
                     "retentionPolicy, so the controller's update of the JobSet is refused",
                     yaml::locate(*suspender), "write retentionPolicy: {whenDeleted: Delete} in the runtime");
    add_note(found, "the policy", policy);
    return;
  }
}

}  // namespace trainjobc::compile::advice
