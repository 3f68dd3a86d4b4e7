// SPDX-License-Identifier: Apache-2.0

// Compares two states of files, or the same files for two Trainer versions, without a cluster. Each scope is
// compared with itself.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "features/objects/acceptance.h"
#include "features/objects/differences.h"
#include "inputs/groups.h"

namespace trainjobc::diff {

// What was compiled with the same digester. The objects of TrainJobs that differ are made again.
using Scopes = std::vector<inputs::ScopedCompilation>;

// What the formats need that will show the report, and how many threads make it (0: one per processor).
struct Details {
  bool fields = true;    // the inputs' fields that cause differences
  bool objects = false;  // the values of objects that only one side has
  objects::Manifests manifests = objects::Manifests::None;
  unsigned threads = 0;
};

// Compares what the inputs render to for both versions. Jobs that one of them refuses are not compared.
objects::Report compare_versions(const Scopes& before, const Scopes& after, const std::string& old_version,
                                 const std::string& new_version, const Details& details);

struct StateOptions {
  objects::FilePrefixes prefixes;
  // Returns a scope's name that is the same in both states: the path below the folder that was compared. By
  // default, the name as it is.
  std::function<std::string(const std::string& scope)> key_before = {};
  std::function<std::string(const std::string& scope)> key_after = {};
  bool lists_removed = true;
  Details details = {};
};

// Compares two states of files. A scope whose folder was renamed is the one that has most of its jobs; files
// in a new scope were in that of the folder above. Jobs that one state refuses become acceptances, not
// differences; what may be in a file that can't be read counts neither as added nor as removed, with a
// warning.
objects::Report compare_states(Scopes before, Scopes after, const StateOptions& options);

}  // namespace trainjobc::diff
