// SPDX-License-Identifier: Apache-2.0

// The webhook's rules for the parts of a TrainJob that change its runtime's template.
#pragma once

#include "policy/plugin.h"

namespace trainjobc::policy {

// Checks podSpecOverrides, podTemplateOverrides or runtimePatches against the merged runtime.
void check_overrides(PluginContext& context);

}  // namespace trainjobc::policy
