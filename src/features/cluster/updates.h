// SPDX-License-Identifier: Apache-2.0

// What an update of a live object does: whether the cluster refuses it, and the object after it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "features/cluster/compare.h"
#include "features/cluster/live.h"
#include "features/cluster/live_fields.h"
#include "yaml/node.h"

namespace trainjobc::cluster {

// Sets refusal and remedy of the differences that can't be applied to the live object.
// Source of the rules: JobSet's webhook (ValidateUpdate) and its CRD (self == oldSelf); Kubernetes'
// validation of Secrets and ConfigMaps.
void mark_refusals(ObjectDiff& object, const yaml::Node& live, const yaml::Node& rendered);

// Whether applying `rendered`, compiled with defaults, removes the successPolicy of the live JobSet: it was
// applied with one, and the inputs no longer contain it. The CRD's rule allows that, the webhook adds one
// only to new JobSets, and the controller fails on a JobSet without one.
bool loses_success_policy(const yaml::Node& rendered, const yaml::Node& live);

// `live` with the changed fields as rendered, everything else in the spelling and order of `live`.
const yaml::Node* apply_differences(const yaml::Node& live, std::span<const Difference> differences,
                                    const yaml::Maker& make);

// The controller's scripts do the same as the rendered ones with different text. If the live object is the
// controller's, the differences between the two are ignored; scripts applied by others stay differences.
void set_scripts_apart(const LiveObject& live, const FieldOwners& owners,
                       std::vector<Difference>& differences);

}  // namespace trainjobc::cluster
