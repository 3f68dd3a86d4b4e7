// SPDX-License-Identifier: Apache-2.0

// The webhook's rules for TrainingRuntimes and ClusterTrainingRuntimes.
#pragma once

#include "model/behaviours.h"
#include "model/runtime.h"
#include "policy/plugin.h"

namespace trainjobc::policy {

// The webhook's rules: a replicatedJob with an ancestor label has one replica and the container of that name;
// a deprecated ClusterTrainingRuntime is a warning. No rules for a runtime whose label excludes it from the
// webhook.
void validate_runtime(const model::Runtime& runtime, const model::Behaviours& behaviours, Findings& findings);

// Whether the webhooks warn about the runtime: it is cluster-scoped and has the label
// trainer.kubeflow.org/support: deprecated.
bool is_deprecated(const model::Runtime& runtime, const model::Behaviours& behaviours);

}  // namespace trainjobc::policy
