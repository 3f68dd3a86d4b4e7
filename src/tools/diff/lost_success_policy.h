// A successPolicy that an update takes away.
#pragma once

#include <string>

#include "yaml/node.h"

namespace trainjobc::diff {

// Whether applying `rendered`, compiled with defaults, takes the successPolicy of the live JobSet away:
// it was applied with one, and the inputs no longer write it. The CRD's rule lets it go, the webhook adds
// one to new JobSets only, and the controller fails on a JobSet without one.
bool loses_success_policy(const yaml::Node& rendered, const yaml::Node& live);

}  // namespace trainjobc::diff
