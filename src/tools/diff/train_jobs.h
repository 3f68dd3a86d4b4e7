// What a TrainJob in the cluster means for its JobSet: patches that can't be changed, Kueue's suspension.
#pragma once

#include <vector>

#include "schema/schema.h"
#include "tools/diff/difference.h"
#include "yaml/node.h"

namespace trainjobc::diff {

// Whether the TrainJob has what Trainer's webhook guards: runtimePatches (Trainer 2.2 on),
// podTemplateOverrides (2.1) or podSpecOverrides (2.0).
bool has_guarded_fields(const yaml::Node& train_job);

// Whether the object's label names a Kueue queue: Kueue suspends and resumes it.
bool names_queue(const yaml::Node& object);

// Differences of these fields, marked as refused: empty if the webhook lets them change. Patches of
// managers that `wanted` doesn't name are theirs. `job_set` is the live JobSet, nullptr without one. Source
// of the rule: Trainer, pkg/runtime/framework/plugins/jobset (checkRuntimePatchesImmutability).
std::vector<Difference> refused_patches(const yaml::Node& wanted, const yaml::Node& live,
                                        const yaml::Node* job_set, const schema::Schema* schema);

}  // namespace trainjobc::diff
