// The webhook's rules for TrainingRuntimes and ClusterTrainingRuntimes.
#pragma once

#include "model/runtime.h"
#include "policy/plugin.h"

namespace trainjobc::policy {

// Trainer 2.3 webhook: a replicatedJob with an ancestor label has one replica and the container of that name;
// a deprecated ClusterTrainingRuntime is warned about.
void validate_runtime(const model::Runtime& runtime, Findings& findings);

// Whether the runtime carries trainer.kubeflow.org/support: deprecated.
bool is_deprecated(const model::Runtime& runtime);

}  // namespace trainjobc::policy
