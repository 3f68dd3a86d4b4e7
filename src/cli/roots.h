// SPDX-License-Identifier: Apache-2.0

// Roots: kustomizations and charts that are built instead of read file by file. Each is a scope of its own.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/input.h"
#include "inputs/config.h"
#include "inputs/groups.h"
#include "inputs/helm/build.h"
#include "inputs/kustomize/build.h"

namespace trainjobc::cli {

struct RootFlags {
  std::vector<std::string> kustomize;  // -k
  bool allow_remote = false;
  std::vector<std::string> charts;    // --helm
  std::vector<std::string> values;    // --values, of the --helm before each
  std::vector<std::string> releases;  // --release, likewise
  // Releases to leave out, by the names of their charts and values files. May be empty.
  std::function<bool(const std::string& path)> is_missing;
  bool builds_found = false;  // kustomizations and charts that are found in directories
  bool goes_on = false;       // what can't be built is a finding, and its files are left out
  // Scopes of these to leave out. May be empty.
  std::function<bool(const std::string& scope)> is_left_out;
  bool gitops = false;    // --roots
  bool is_quiet = false;  // don't list them

  void add_to(Command& command);
  bool is_empty() const { return kustomize.empty() && charts.empty(); }

 private:
  friend std::optional<std::vector<helm::Release>> releases_of(Console& console, const RootFlags& flags);
  const Command* command_ = nullptr;  // knows the order of its flags
};

// The group of a kustomization or chart that was built.
inputs::InputGroup group_of(kustomize::Built built, inputs::Configurations& configurations);
inputs::InputGroup group_of(helm::Built built, inputs::Configurations& configurations);

// The nearest folder above the working directory, or it itself, that has a .git; "" if none has.
std::string repository_root(Console& console);
// The same; the working directory if none has.
std::string repository_or_working_directory(Console& console);

// Finds the parts that other kustomizations of the repository are made of.
void find_shared_parts(Console& console, std::vector<inputs::InputGroup>& groups);

// What a program said, without its line breaks.
std::string in_one_line(std::string_view said);

// Moves what is found of a kustomization that can't be built to what mends it, or to the beginning of its
// file.
void point_into(const kustomize::Tree& tree, bool allow_remote, base::Diagnostic& found);

// A group for each -k and --helm. nullopt, after an error, if one can't be built. `ns` is the namespace of
// releases.
std::optional<std::vector<inputs::InputGroup>> build_named(Console& console, const RootFlags& flags,
                                                           const std::string& ns,
                                                           inputs::Configurations& configurations);

// Of the files that were found in directories, those of roots: the patches, which are not whole objects, are
// taken out; if the roots are built, so is every file that a root uses, and the roots' groups are added.
// nullopt, after an error, if a root can't be built that has to be.
std::optional<std::vector<inputs::InputGroup>> take_roots(Console& console, Loaded& loaded,
                                                          const RootFlags& flags, const std::string& ns,
                                                          inputs::Configurations& configurations);

// The roots that Flux and Argo CD objects among the files name, instead of the files. The roots of one
// cluster are a scope. nullopt, after an error, if there are none, or one can't be read.
std::optional<std::vector<inputs::InputGroup>> take_gitops_roots(Console& console, Loaded& loaded,
                                                                 const RootFlags& flags,
                                                                 inputs::Configurations& configurations);

}  // namespace trainjobc::cli
