// SPDX-License-Identifier: Apache-2.0

// The fix of a resource that is requested without a limit.
#pragma once

#include <vector>

#include "base/diagnostic.h"
#include "yaml/node.h"

namespace trainjobc::k8s::job {

// The edit that gives `request`, an entry of requests, an equal limit. `resources` holds both lists. Empty if
// the two come from different objects: one job does not change the limits of its runtime.
std::vector<base::Edit> limit_fix(const yaml::Node& resources, const yaml::Entry& request);

}  // namespace trainjobc::k8s::job
