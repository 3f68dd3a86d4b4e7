// SPDX-License-Identifier: Apache-2.0

// The interface of the checks. Each file of checks/ is about a subject, whose function checks() lists its
// checks. The build makes the list of subjects (cmake/generated.cmake): objects that register themselves
// before main would need global state, and the linker drops them from a static library.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "compile/advice/advice.h"
#include "k8s/violations.h"
#include "yaml/node.h"

namespace trainjobc::compile::advice {

class Advisor {
 public:
  // Adds a warning, or information if the rule's row says so. The reference is valid until the next call.
  base::Diagnostic& warn(std::string_view rule, std::string field, std::string message,
                         const base::Location& where, std::string hint = "");

  void add(base::Diagnostic found) { found_.push_back(std::move(found)); }

  k8s::Violations take() { return std::move(found_); }

 private:
  k8s::Violations found_;
};

// The place of a map's key; none if the map has no such key. `map` may be nullptr.
base::Location locate_key_of(const yaml::Node* map, std::string_view key);

// What advice on a runtime is based on.
struct RuntimeContext {
  const model::Runtime& runtime;
  const policy::RuntimeInfo& info;  // for a TrainJob that sets nothing
  bool has_jobs = false;
  const Surroundings& around;
};

struct TrainingContainer;

using JobCheck = void (*)(const AdviceContext&, Advisor&);
using TrainingCheck = void (*)(const TrainingContainer&, Advisor&);
using RuntimeCheck = void (*)(const RuntimeContext&, Advisor&);

// The checks of a subject.
struct Checks {
  std::vector<JobCheck> job;
  std::vector<TrainingCheck> training;  // of a job that has a container that trains: see trained.h
  std::vector<RuntimeCheck> runtime;
};

// Returns one element for each file of checks/.
std::span<const Checks> subjects();

// The containers of a runtime.
struct ContainerPlace {
  const policy::PodSet& set;
  const policy::Container& container;
  bool is_init = false;
  std::string
      field;  // such as spec.template.spec.replicatedJobs[0].template.spec.template.spec.containers[0]
};

// Returns all containers in the order of the document; a pod's init containers come first.
std::vector<ContainerPlace> containers_of(const policy::RuntimeInfo& info);

// Such as spec.template.spec.replicatedJobs[0].
std::string replicated_job_field(size_t index);

// The first pod set with the ancestor label `trainer`, and its position; nullptr if there is none.
struct TrainerPlace {
  const policy::PodSet* set = nullptr;
  size_t index = 0;
};
TrainerPlace trainer_of(const policy::RuntimeInfo& info);

// The pods of a replicatedJob.
struct JobPods {
  std::string_view job;
  int64_t count = 1;                 // at most 10^8
  const yaml::Node* spec = nullptr;  // nullptr if it has none
  bool is_awaited = false;           // another replicatedJob starts when this one has completed
};

// Those of a rendered JobSet, and of a runtime.
std::vector<JobPods> pods_of(const yaml::Node& job_set);
std::vector<JobPods> pods_of(const policy::RuntimeInfo& info);

// An ancestor label in a pod's template, where the controller does not read it; nullptr if there is none.
const yaml::Node* misplaced_label(const policy::RuntimeInfo& info, std::string_view ancestor);

// The first container of the set with that name; init containers don't count.
const policy::Container* find_container(const policy::PodSet& set, std::string_view name);

using k8s::add_note;
using yaml::text_at;

// The repository of an image, without its tag, its digest, and the names of Docker Hub that may be left out.
std::string_view repository_of(std::string_view image);

// What the JobSet shows about its job.

// The container `node` of the replicatedJob of that name; nullptr if there is none.
const yaml::Node* rendered_node(const yaml::Node& job_set, std::string_view replicated_job);

// The number in the variable, taken from the first container `node` in the JobSet that has it.
std::optional<int64_t> rendered_number(const yaml::Node& job_set, std::string_view variable);

// The part of a patch that is for one replicatedJob.
struct PodPatch {
  const yaml::Node* job_name = nullptr;
  std::string job_field;                 // the field of its name
  const yaml::Node* pod_spec = nullptr;  // nullptr if the patch does not change it
  std::string pod_field;
};

// The pods in spec.runtimePatches, or in the overrides of older versions.
std::vector<PodPatch> pod_patches(const model::TrainJob& job);

}  // namespace trainjobc::compile::advice
