// SPDX-License-Identifier: Apache-2.0

// Inputs in two states of a Git repository: a revision, and the working tree or another one.
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
  std::string head;            // "": the working tree
  bool no_merge_base = false;  // compare with `base` itself, not with the commit where the history left it
};

// One of the two states.
struct State {
  std::unique_ptr<git::RevisionFiles> files;  // nullptr: the working tree
  std::string name;                           // "origin/main", "the working tree"
  std::string prefix;  // of the names of files below the working directory: "origin/main:clusters/"; or ""
};

struct Revisions {
  State before;
  State after;
  Request request;      // its paths are in the repository, which has each of them in one of the states
  std::string of_base;  // says what `before` is: "8f3ac21b04de (where HEAD left origin/main)"
};

// Without paths and roots, the inputs are the working directory.
base::IoResult<Revisions> open_revisions(base::FileSystem& files, base::ProcessRunner& programs,
                                         const RevisionNames& names, Request request,
                                         std::chrono::milliseconds timeout);

// The inputs of one state; those of a revision are named as git does: "origin/main:jobs/a.yaml".
Loaded load_state(base::FileSystem& files, base::ProcessRunner& programs, const Request& request,
                  const State& state);

}  // namespace trainjobc::inputs
