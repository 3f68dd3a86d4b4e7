// SPDX-License-Identifier: Apache-2.0

// The webhook's rules that no single plugin owns: reserved variables, overrides, runtimes.
#pragma once

#include "model/behaviours.h"
#include "model/runtime.h"
#include "policy/plugin.h"

namespace trainjobc::policy {

// How the webhook names the field: spec.trainer.env, or spec.trainer.env[0].
enum class ReservedEnvField { List, Item };

// Reports each of the framework's variables that the job sets in spec.trainer.env, as Trainer's webhooks do.
void check_reserved_env(PluginContext& context, const Framework& framework, ReservedEnvField field);

// The webhook's rules for the parts of a TrainJob that change its runtime's template.

// Checks podSpecOverrides, podTemplateOverrides or runtimePatches against the merged runtime.
void check_overrides(PluginContext& context);

// Whether spec.trainer or spec.initializer sets the container's env: no patch may.
bool is_env_reserved(std::string_view container);

// The webhook's rules for TrainingRuntimes and ClusterTrainingRuntimes.

// Checks a runtime: a replicatedJob with an ancestor label has one replica and the container of that name; a
// deprecated ClusterTrainingRuntime is a warning. A runtime whose label excludes it from the webhook has no
// rules.
void validate_runtime(const model::Runtime& runtime, const model::Behaviours& behaviours, Findings& findings);

// Whether the webhooks warn about the runtime: it is cluster-scoped and has the label
// trainer.kubeflow.org/support: deprecated.
bool is_deprecated(const model::Runtime& runtime, const model::Behaviours& behaviours);

}  // namespace trainjobc::policy
