// SPDX-License-Identifier: Apache-2.0

// Compares the rendered objects with the live ones: one entry per object, with its differences.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"
#include "compile/compile.h"
#include "features/cluster/live.h"
#include "features/cluster/live_fields.h"
#include "features/objects/differences.h"
#include "schema/compare.h"
#include "schema/schema.h"
#include "yaml/node.h"

namespace trainjobc::cluster {

// Which live objects are reported that the inputs don't render.
enum class Orphans {
  All,       // everything that Trainer created
  OfInputs,  // those that belong to a TrainJob of the inputs
  None,
};

struct CompareOptions {
  const schema::VersionSchemas* schemas = nullptr;
  // No namespace means `default`; false if it means the namespace of the cluster's context.
  bool default_is_none = true;
  Orphans orphans = Orphans::All;
  bool refusals = true;  // mark updates that a cluster refuses
  // The rendered objects as the API server would store them, if it was asked; nullptr: compare the rendered
  // objects.
  const LiveSet* dry_run = nullptr;
};

// `compiled` was compiled with_defaults. Live objects of TrainJobs that were refused are no orphans. Compares
// every rendered object with the live one of its kind, namespace and name. SSH keys that are there are kept:
// they are not a difference, and neither is a Flux certificate made of a uid that the inputs don't have.
objects::Report compare_objects(const Compilation& compiled, std::shared_ptr<const LiveSet> live,
                                const CompareOptions& options);

// What an update of a live object does: whether the cluster refuses it, and the object after it.

// Sets refusal and remedy of the differences that can't be applied to the live object.
// Source of the rules: JobSet's webhook (ValidateUpdate) and its CRD (self == oldSelf); Kubernetes'
// validation of Secrets and ConfigMaps.
void mark_refusals(objects::ObjectDiff& object, const yaml::Node& live, const yaml::Node& rendered);

// Whether applying `rendered`, compiled with defaults, removes the successPolicy of the live JobSet: it was
// applied with one, and the inputs no longer contain it. The CRD's rule allows that, the webhook adds one
// only to new JobSets, and the controller fails on a JobSet without one.
bool loses_success_policy(const yaml::Node& rendered, const yaml::Node& live);

// `live` with the changed fields as rendered, everything else in the spelling and order of `live`.
const yaml::Node* apply_differences(const yaml::Node& live, std::span<const objects::Difference> differences,
                                    const yaml::Maker& make);

// The controller's scripts do the same as the rendered ones with different text. If the live object is the
// controller's, the differences between the two are ignored; scripts applied by others stay differences.
void set_scripts_apart(const LiveObject& live, const FieldOwners& owners,
                       std::vector<objects::Difference>& differences);

}  // namespace trainjobc::cluster
