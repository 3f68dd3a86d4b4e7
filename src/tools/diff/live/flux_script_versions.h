// The scripts in the ConfigMap of a Flux job.
#pragma once

#include <vector>

#include "tools/diff/difference.h"
#include "tools/diff/live/field_owners.h"
#include "tools/diff/live/live.h"

namespace trainjobc::diff {

// The controller's scripts do what the rendered ones do in other words. Sets the differences between the two
// apart as the controller's, where the live object is the controller's; scripts that somebody applied stay
// differences.
void set_scripts_apart(const LiveObject& live, const FieldOwners& owners,
                       std::vector<Difference>& differences);

}  // namespace trainjobc::diff
