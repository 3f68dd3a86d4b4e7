// SPDX-License-Identifier: Apache-2.0

// Runtimes of a repository against others of the same names: the catalogue's, a cluster's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compile/input/input.h"
#include "schema/schema.h"
#include "yaml/node.h"

namespace trainjobc::runtimes {

struct RuntimeDifference {
  std::string path;         // "spec.template.spec.replicatedJobs[node].template…image"
  std::string other;        // the value there, "none" if there is none
  std::string own;          // the value of the repository's file
  base::Location location;  // in it; of no file if there is none
};

enum class RuntimeState { Same, Different, OnlyHere, OnlyThere };

std::string_view to_string(RuntimeState state);

struct RuntimeVerdict {
  std::string id;     // "ClusterTrainingRuntime/torch-distributed", "TrainingRuntime/team-a/torch"
  std::string place;  // "runtimes/torch.yaml:3"; "" of OnlyThere
  RuntimeState state = RuntimeState::Same;
  std::vector<RuntimeDifference> differences;
};

// By meaning: with the schema's defaults, without what servers fill in. Both are runtimes; `with_missing`
// also lists those that only `others` has. Sorted by id.
std::vector<RuntimeVerdict> compare_runtimes(const std::vector<compile::InputObject>& own,
                                             const std::vector<compile::InputObject>& others,
                                             const schema::VersionSchemas& schemas, bool with_missing);

}  // namespace trainjobc::runtimes
