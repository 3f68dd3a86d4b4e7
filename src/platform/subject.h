// SPDX-License-Identifier: Apache-2.0

// The objects that a cluster is asked to store for a TrainJob, as admission sees each of them: the TrainJob
// itself, its JobSet, the first Job of each replicatedJob and the first pod of that; and a runtime.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "yaml/node.h"

namespace trainjobc::platform {

// Whether this is the page with the playground, which has no room for what only repositories need.
#ifdef __EMSCRIPTEN__
inline constexpr bool kIsPage = true;
#else
inline constexpr bool kIsPage = false;
#endif

// A TrainJob after its passes. A node is nullptr if a pass before it has refused the job.
struct CompiledJob {
  std::string object;                          // as diagnostics name it: "TrainJob/team-a/llama"
  const yaml::Node* train_job = nullptr;       // with the defaults of its schema
  const yaml::Node* job_set = nullptr;         // admitted
  std::span<const yaml::Node* const> objects;  // that are made beside the JobSet
};

// A kind that the checks know.
struct KindFacts {
  std::string_view kind;
  std::string_view group;
  std::string_view version;
  std::string_view resource;
  bool is_namespaced = true;
};
// nullptr for other kinds.
const KindFacts* find_kind(std::string_view kind);

// One object, and how many alike there are.
struct Subject {
  const KindFacts* kind = nullptr;
  const yaml::Node* root = nullptr;
  std::string ns;     // "" for a kind without namespaces
  std::string name;   // of a pod, that of its Job
  std::string field;  // where a Job or a pod comes from: spec.replicatedJobs[0].template; "" for others
  int64_t count = 1;
  bool trains = false;                   // of a pod
  const yaml::Node* old_root = nullptr;  // the object before a change; nullptr if it is created
};

// CREATE or UPDATE.
inline std::string_view operation_of(const Subject& subject) {
  return subject.old_root ? "UPDATE" : "CREATE";
}

// Those of a job, in the order in which they are created.
std::vector<Subject> subjects_of(const CompiledJob& job, const yaml::Maker& make);
// A runtime, with the defaults of its schema.
Subject subject_of_runtime(const yaml::Node& runtime);

// Where a node of an object is.
struct Place {
  std::string field;        // "spec.trainer.numNodes"; "" if the node is not part of the object
  base::Location location;  // of the key, if it has one
};
Place find_place(const yaml::Node& root, const yaml::Node& node);
// The place of metadata.name, or of the object.
base::Location place_of_object(const yaml::Node& root);

}  // namespace trainjobc::platform
