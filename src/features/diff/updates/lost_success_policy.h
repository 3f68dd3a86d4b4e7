// SPDX-License-Identifier: Apache-2.0

// A successPolicy that an update removes.
#pragma once

#include <string>

#include "yaml/node.h"

namespace trainjobc::diff {

// Whether applying `rendered`, compiled with defaults, removes the successPolicy of the live JobSet: it was
// applied with one, and the inputs no longer contain it. The CRD's rule allows that, the webhook adds one
// only to new JobSets, and the controller fails on a JobSet without one.
bool loses_success_policy(const yaml::Node& rendered, const yaml::Node& live);

}  // namespace trainjobc::diff
