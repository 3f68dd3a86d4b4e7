// SPDX-License-Identifier: Apache-2.0

// The inputs of a command, in groups: each configuration applies to the files below it. Groups of one scope
// (see scope_of) share their runtimes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compile/compile.h"
#include "inputs/config.h"

namespace trainjobc::inputs {

struct InputGroup {
  std::shared_ptr<const Config> config;  // never null
  std::string scope = ".";
  std::vector<Source> inputs;    // sorted by name
  std::vector<Source> runtimes;  // from --runtimes and the configuration
  std::vector<Source> policies;  // from the configuration
  // The files from which another program made the inputs: fixes change these.
  std::vector<Source> parts;
  // If paths name only some of the parts: these, absolute. Findings in the others are not reported.
  std::set<std::string> reported;
  std::vector<std::string> shared_parts;  // parts that a root outside every group also uses
  // Shared or not: chart templates; not YAML, so never fixed.
  std::vector<std::string> templates;
  // Adds to a finding what is known about its place. May be empty.
  std::function<void(base::Diagnostic&)> annotate;
  // What the note begins with by which `annotate` names the root and the cluster: "Kustomization
  // flux-system/apps of clusters/prod". "" if there is only one cluster.
  std::string deployed_by;
  // What else is wrong with the inputs, for reports of findings; refers to files that the inputs keep.
  base::Diagnostics found;
  std::vector<std::shared_ptr<const void>> memory;  // keeps what `found` refers to
  // Hints for the names that runtimes had before the build changed them.
  std::map<std::string, std::string, std::less<>> renamed;
  bool is_rendered = false;  // text that looks like a placeholder is a value
  // Lines (by file) whose values are unknown: findings there may be wrong.
  std::vector<std::pair<std::string, uint32_t>> undecided;
  // The settings from flags, environment and configuration.
  std::string trainer_version = "auto";
  std::vector<std::string> feature_gates;
  std::string kubernetes_version;  // "": as in Options
  bool use_catalogue = true;
  std::string ns;
};

// Returns one group without inputs if there are no sources.
std::vector<InputGroup> group_by_configuration(std::vector<Source> sources, Configurations& configurations);

// `options` with the group's settings.
Options options_of(const InputGroup& group, Options options);

// The findings on the files of one configuration.
struct FindingsOfConfig {
  std::shared_ptr<const Config> config;
  base::Diagnostics diagnostics;
  std::vector<const base::SourceFile*> files;
  std::vector<CheckedDocument> checked;
};

struct GroupedCompilation {
  Compilation all;                         // all groups as one
  std::vector<FindingsOfConfig> governed;  // one for each group
};

// Which runtimes of other groups a group gets.
enum class Sharing {
  All,
  Named,  // if there are many, only those that its TrainJobs refer to
};

// Inserts the runtimes that other groups of the scope have at the beginning of each group's runtimes
// (inputs/shared_runtimes.cpp).
void share_runtimes(std::vector<InputGroup>& groups, Sharing sharing);

// Compiles each group with its settings. A TrainJob that two groups of a scope define is an error.
GroupedCompilation compile_groups(std::vector<InputGroup> groups, const Options& options);

// The compilation of one scope.
struct ScopedCompilation {
  std::string scope;
  Compilation compiled;
};

// Compiles each scope by itself; they are sorted by name. The objects of TrainJobs are not kept, only their
// digests; CollectedJob::make_again makes them again.
std::vector<ScopedCompilation> compile_scopes(std::vector<InputGroup> groups, const Options& options,
                                              const base::Digester& digester);

// Like compile_groups, but each job's objects go to the sink of its group and are not kept; unless
// `is_governed`, `governed` is empty, and findings on the inputs as a whole are left out.
using SinkOfGroup = std::function<ObjectSink&(size_t group)>;
GroupedCompilation compile_groups_into_sinks(std::vector<InputGroup> groups, const Options& options,
                                             const SinkOfGroup& sink_of, bool is_governed = false);

// Returns only the findings, by configuration; `all` has none.
GroupedCompilation find_in_groups(std::vector<InputGroup> groups, const Options& options);

}  // namespace trainjobc::inputs
