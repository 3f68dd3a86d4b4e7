// The webhook's rules for TrainingRuntimes and ClusterTrainingRuntimes.
#pragma once

#include "model/behaviours.h"
#include "model/runtime.h"
#include "policy/plugin.h"

namespace trainjobc::policy {

// The webhook's rules: a replicatedJob with an ancestor label has one replica and the container of that name;
// a deprecated ClusterTrainingRuntime is warned about. None for a runtime that its label keeps the webhook
// away from.
void validate_runtime(const model::Runtime& runtime, const model::Behaviours& behaviours, Findings& findings);

// Whether the webhooks warn about the runtime: of cluster scope and labelled trainer.kubeflow.org/support:
// deprecated.
bool is_deprecated(const model::Runtime& runtime, const model::Behaviours& behaviours);

}  // namespace trainjobc::policy
