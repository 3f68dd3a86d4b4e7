// SPDX-License-Identifier: Apache-2.0

// Finds which objects of two compilations are refused.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compile/compile.h"
#include "features/objects/differences.h"

namespace trainjobc::objects {

// How the names of files begin in two states: "origin/main:" and "", "old/" and "new/".
struct FilePrefixes {
  std::string before;
  std::string after;
};

// The objects of the inputs that at least one side refuses, in the order of the inputs. A TrainJob is
// accepted if its JobSet is, anything else if it has no errors. Without prefixes, the sides are two versions
// for the same files; with them, two states of the files, each of which may lack an object.
std::vector<Acceptance> compare_acceptance(const Compilation& before, const Compilation& after,
                                           const std::optional<FilePrefixes>& states = std::nullopt);

// `compiled` with only the objects of TrainJobs that `other` also renders.
Compilation rendered_by_both(const Compilation& compiled, const Compilation& other);

// The TrainJobs that were rendered, by their names in diagnostics: "TrainJob/team-a/llama".
std::set<std::string> rendered_jobs(const Compilation& compiled);

// The TrainJobs that were refused, by their names in diagnostics: "TrainJob/team-a/llama".
std::set<std::string> refused_jobs(const Compilation& compiled);

}  // namespace trainjobc::objects
