// SPDX-License-Identifier: Apache-2.0

// Loads two states of the inputs in a Git repository: a revision, and the working tree or another revision.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/files/file_system.h"
#include "base/process.h"
#include "inputs/git/git.h"
#include "inputs/load.h"

namespace trainjobc::inputs {

struct RevisionNames {
  std::string base;
  std::string head;            // "" for the working tree
  bool no_merge_base = false;  // compare with `base` itself, not with the merge base
};

// One of the two states.
struct State {
  std::unique_ptr<git::RevisionFiles> files;  // nullptr for the working tree
  std::string name;                           // "origin/main", "the working tree"
  std::string prefix;  // for names of files below the working directory: "origin/main:clusters/", or ""
};

struct Revisions {
  State before;
  State after;
  Request request;      // its paths are in the repository, and exist in at least one of the states
  std::string of_base;  // describes `before`: "8f3ac21b04de (where HEAD left origin/main)"
};

// Without paths and roots, the input is the working directory.
base::IoResult<Revisions> open_revisions(base::FileSystem& files, base::ProcessRunner& programs,
                                         const RevisionNames& names, Request request,
                                         std::chrono::milliseconds timeout);

// Loads the inputs in one state. Those of a revision are named as git does: "origin/main:jobs/a.yaml".
Loaded load_state(base::FileSystem& files, base::ProcessRunner& programs, const Request& request,
                  const State& state);

}  // namespace trainjobc::inputs
