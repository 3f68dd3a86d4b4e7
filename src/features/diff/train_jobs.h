// SPDX-License-Identifier: Apache-2.0

// What a live TrainJob means for its JobSet: patches that can't be changed, suspension by Kueue.
#pragma once

#include <vector>

#include "schema/schema.h"
#include "features/diff/difference.h"
#include "yaml/node.h"

namespace trainjobc::diff {

// Whether the TrainJob has fields whose changes Trainer's webhook restricts: runtimePatches (since
// Trainer 2.2), podTemplateOverrides (2.1) or podSpecOverrides (2.0).
bool has_guarded_fields(const yaml::Node& train_job);

// Whether the object's label names a Kueue queue: Kueue suspends and resumes it.
bool names_queue(const yaml::Node& object);

// Differences of these fields, marked as refused: empty if the webhook allows the change. Patches of managers
// that `wanted` doesn't name are ignored. `job_set` is the live JobSet, nullptr if there is none. Source of
// the rule: Trainer, pkg/runtime/framework/plugins/jobset (checkRuntimePatchesImmutability).
std::vector<Difference> refused_patches(const yaml::Node& wanted, const yaml::Node& live,
                                        const yaml::Node* job_set, const schema::Schema* schema);

}  // namespace trainjobc::diff
