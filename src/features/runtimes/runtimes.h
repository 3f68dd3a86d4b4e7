// SPDX-License-Identifier: Apache-2.0

// Compares a repository's runtimes with others of the same names, writes a cluster's runtimes as files to
// commit, and finds the jobs that use a runtime.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compile/input.h"
#include "features/cluster/live.h"
#include "schema/schema.h"
#include "yaml/node.h"

namespace trainjobc::runtimes {

struct RuntimeDifference {
  std::string path;         // "spec.template.spec.replicatedJobs[node].template…image"
  std::string other;        // the other runtime's value; "none" if it has none
  std::string own;          // the value of the repository's file
  base::Location location;  // in that file; without a file if there is none
};

enum class RuntimeState { Same, Different, OnlyHere, OnlyThere };

std::string_view to_string(RuntimeState state);

struct RuntimeVerdict {
  std::string id;     // "ClusterTrainingRuntime/torch-distributed", "TrainingRuntime/team-a/torch"
  std::string place;  // "runtimes/torch.yaml:3"; "" for OnlyThere
  RuntimeState state = RuntimeState::Same;
  std::vector<RuntimeDifference> differences;
};

// Compares by meaning: with the schema's defaults, without what servers fill in. All objects are runtimes;
// `with_missing` also lists those that only `others` has. Sorted by id.
std::vector<RuntimeVerdict> compare_runtimes(const std::vector<compile::InputObject>& own,
                                             const std::vector<compile::InputObject>& others,
                                             const schema::VersionSchemas& schemas, bool with_missing);

// The runtime as someone would write it: without what the API server and controllers filled in, including
// defaults of its schema.
const yaml::Node* clean(const yaml::Node& runtime, const schema::VersionSchemas& schemas,
                        const yaml::Maker& make);

struct RuntimeFile {
  std::string path;  // "torch-distributed.yaml"; for a TrainingRuntime "team-a/torch.yaml"
  std::string text;
};

// Makes one file per policy or binding of the set: policies/NAME.yaml, bindings/NAME.yaml. Sorted by path.
std::vector<RuntimeFile> policy_files_of(const cluster::LiveSet& live);

// Makes one file per runtime of the set; other objects are skipped. Sorted by path.
std::vector<RuntimeFile> files_of(const cluster::LiveSet& live, const schema::VersionSchemas& schemas);

struct RuntimeUser {
  std::string ns;  // "default" if the job names none
  std::string name;
  std::string place;  // "jobs/llama.yaml:1"
};

struct RuntimeUse {
  std::string scope;  // the jobs' scope
  std::string kind;
  std::string ns;  // a TrainingRuntime's, which its jobs share
  std::string name;
  std::vector<RuntimeUser> jobs;
};

// Collects the runtimes that jobs use by their runtimeRef, whether these exist or not. Jobs are in the order
// of the inputs; one that several roots of a scope have is listed once.
class UseCollector {
 public:
  // `scope_of` gets the name of a file.
  void add(const std::vector<compile::InputObject>& objects,
           const std::function<std::string(const std::string&)>& scope_of);
  // Sorted by scope, name, kind and namespace.
  std::vector<RuntimeUse> take();

 private:
  using Names = std::array<std::string, 4>;

  std::map<Names, RuntimeUse> uses_;
  std::set<Names> jobs_;  // {scope, namespace, name, place}
};

}  // namespace trainjobc::runtimes
