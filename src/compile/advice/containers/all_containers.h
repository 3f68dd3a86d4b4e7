// SPDX-License-Identifier: Apache-2.0

// The containers of a runtime, with the paths of their fields.
#pragma once

#include <string>
#include <vector>

#include "policy/runtime_info.h"
#include "yaml/fields.h"

namespace trainjobc::compile::advice {

struct ContainerPlace {
  const policy::PodSet& set;
  const policy::Container& container;
  bool is_init = false;
  std::string field;  // spec.template.spec.replicatedJobs[0].template.spec.template.spec.containers[0]
};

// All of them, in the order of the document; a pod's init containers come first.
std::vector<ContainerPlace> containers_of(const policy::RuntimeInfo& info);

// spec.template.spec.replicatedJobs[0]
std::string replicated_job_field(size_t index);

// The first pod set with the ancestor label `trainer`, and its position; nullptr if there is none.
struct TrainerPlace {
  const policy::PodSet* set = nullptr;
  size_t index = 0;
};
TrainerPlace trainer_of(const policy::RuntimeInfo& info);

// The first container of the set with that name; init containers don't count.
const policy::Container* find_container(const policy::PodSet& set, std::string_view name);

using yaml::text_at;

}  // namespace trainjobc::compile::advice
