// SPDX-License-Identifier: Apache-2.0

// Environment variables that a framework sets itself.
#pragma once

#include "policy/plugin.h"

namespace trainjobc::policy {

// How the webhook names the field: spec.trainer.env, or spec.trainer.env[0].
enum class ReservedEnvField { List, Item };

// Reports each of the framework's variables that the job sets in spec.trainer.env, as Trainer's webhooks do.
void check_reserved_env(PluginContext& context, const Framework& framework, ReservedEnvField field);

}  // namespace trainjobc::policy
