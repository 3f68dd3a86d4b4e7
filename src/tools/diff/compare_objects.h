// What the inputs make of each TrainJob, against what is there.
#pragma once

#include <memory>

#include "compile/compile.h"
#include "schema/schema.h"
#include "tools/diff/difference.h"
#include "tools/diff/live/live.h"

namespace trainjobc::diff {

// Which live objects that no input makes are reported.
enum class Orphans {
  All,       // everything that Trainer made
  OfInputs,  // what belongs to a TrainJob of the inputs
  None,
};

struct CompareOptions {
  const schema::VersionSchemas* schemas = nullptr;
  // No namespace and `default` are one; false if a cluster was asked for the namespace of its context.
  bool default_is_none = true;
  Orphans orphans = Orphans::All;
  bool refusals = true;  // mark updates that a cluster refuses
  // What the API server makes of the rendered objects, if it was asked; nullptr: the rendered objects
  // themselves count.
  const LiveSet* dry_run = nullptr;
};

// `compiled` was compiled with_defaults. Compares every rendered object with the live one of its kind,
// namespace and name. SSH keys that are there are kept: they are not a difference, and neither is a Flux
// certificate made of a uid that the inputs don't have.
Report compare_objects(const Compilation& compiled, std::shared_ptr<const LiveSet> live,
                       const CompareOptions& options);

}  // namespace trainjobc::diff
