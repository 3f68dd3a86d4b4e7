// The fix of a resource that is requested without a limit.
#pragma once

#include <vector>

#include "base/diagnostic.h"
#include "yaml/node.h"

namespace trainjobc::k8s::job {

// The edit that gives `request`, an entry of requests, an equal limit. `resources` holds both lists. Empty
// where the two come from different places: a limit in a runtime is not for one job to change.
std::vector<base::Edit> limit_fix(const yaml::Node& resources, const yaml::Entry& request);

}  // namespace trainjobc::k8s::job
