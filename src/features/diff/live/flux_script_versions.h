// SPDX-License-Identifier: Apache-2.0

// The scripts in the ConfigMap of a Flux job.
#pragma once

#include <vector>

#include "features/diff/difference.h"
#include "features/diff/live/field_owners.h"
#include "features/diff/live/live.h"

namespace trainjobc::diff {

// The controller's scripts do the same as the rendered ones with different text. If the live object is the
// controller's, the differences between the two are ignored; scripts applied by others stay differences.
void set_scripts_apart(const LiveObject& live, const FieldOwners& owners,
                       std::vector<Difference>& differences);

}  // namespace trainjobc::diff
