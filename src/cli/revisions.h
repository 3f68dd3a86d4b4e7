// SPDX-License-Identifier: Apache-2.0

// The inputs of a command in two states of a Git repository: a revision, and the working tree or another one.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/options.h"
#include "inputs/git/git.h"
#include "inputs/groups.h"

namespace trainjobc::cli {

struct RevisionFlags {
  std::string flag;  // that names the base: "--base"
  std::string base;  // "": none was given
  std::string head;  // "": the working tree
  bool no_merge_base = false;

  // `description` is that of the flag.
  void add_to(Command& command, const std::string& name, const std::string& description);
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
  InputFlags input;     // its paths are in the repository, which has each of them in one of the states
  std::string of_base;  // says what `before` is: "8f3ac21b04de (where HEAD left origin/main)"
};

// Without paths and roots, the inputs are the working directory. nullopt if the revisions can't be read,
// which has been reported.
std::optional<Revisions> open_revisions(Console& console, const RevisionFlags& flags, InputFlags input,
                                        std::chrono::milliseconds timeout);

// The inputs of one state; those of a revision are named as git does: "origin/main:jobs/a.yaml". nullopt if
// they can't be loaded, which has been reported.
std::optional<inputs::LoadedInputs> load_state(Console& console, const InputFlags& input, const State& state);

}  // namespace trainjobc::cli
