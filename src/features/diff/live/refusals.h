// SPDX-License-Identifier: Apache-2.0

// Updates that a cluster refuses.
#pragma once

#include "features/diff/difference.h"
#include "yaml/node.h"

namespace trainjobc::diff {

// Sets refusal and remedy of the differences that can't be applied to the live object.
// Source of the rules: JobSet's webhook (ValidateUpdate) and its CRD (self == oldSelf); Kubernetes'
// validation of Secrets and ConfigMaps.
void mark_refusals(ObjectDiff& object, const yaml::Node& live, const yaml::Node& rendered);

}  // namespace trainjobc::diff
