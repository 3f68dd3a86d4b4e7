// SPDX-License-Identifier: Apache-2.0

// Compares the rendered objects with the live ones.
#pragma once

#include <memory>

#include "compile/compile.h"
#include "schema/schema.h"
#include "features/diff/difference.h"
#include "features/diff/live/live.h"

namespace trainjobc::diff {

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

// `compiled` was compiled with_defaults. Compares every rendered object with the live one of its kind,
// namespace and name. SSH keys that are there are kept: they are not a difference, and neither is a Flux
// certificate made of a uid that the inputs don't have.
Report compare_objects(const Compilation& compiled, std::shared_ptr<const LiveSet> live,
                       const CompareOptions& options);

}  // namespace trainjobc::diff
