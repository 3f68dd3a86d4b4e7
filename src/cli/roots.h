// SPDX-License-Identifier: Apache-2.0

// Roots: kustomizations that are built instead of read file by file. Each is a scope of its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/input.h"
#include "lint/config.h"
#include "lint/groups.h"

namespace trainjobc::cli {

struct RootFlags {
  std::vector<std::string> kustomize;  // -k
  bool allow_remote = false;
};

// A group for each -k. nullopt, after an error, if one can't be built.
std::optional<std::vector<lint::InputGroup>> build_named(Console& console, const RootFlags& flags,
                                                         lint::Configurations& configurations);

// Of the files that were found in directories, those of roots: the patches, which are not whole objects, are taken
// out; with `builds`, so is every file that a root uses, and the roots' groups are added. nullopt, after an error,
// if a root can't be built that has to be.
std::optional<std::vector<lint::InputGroup>> take_roots(Console& console, Loaded& loaded,
                                                        lint::Configurations& configurations, bool builds);

}  // namespace trainjobc::cli
