// SPDX-License-Identifier: Apache-2.0

#include "compile/advice/containers/all_containers.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/trainer_names.h"

namespace trainjobc::compile::advice {

std::string replicated_job_field(size_t index) {
  return fmt::format("spec.template.spec.replicatedJobs[{}]", index);
}

std::vector<ContainerPlace> containers_of(const policy::RuntimeInfo& info) {
  std::vector<ContainerPlace> places;
  for (size_t job = 0; job < info.pod_sets.size(); ++job) {
    const policy::PodSet& set = info.pod_sets[job];
    const std::string pod = replicated_job_field(job) + ".template.spec.template.spec";
    for (size_t i = 0; i < set.init_containers.size(); ++i) {
      places.push_back({set, set.init_containers[i], true, fmt::format("{}.initContainers[{}]", pod, i)});
    }
    for (size_t i = 0; i < set.containers.size(); ++i) {
      places.push_back({set, set.containers[i], false, fmt::format("{}.containers[{}]", pod, i)});
    }
  }
  return places;
}

TrainerPlace trainer_of(const policy::RuntimeInfo& info) {
  const auto at = std::ranges::find(info.pod_sets, model::kTrainer, &policy::PodSet::ancestor);
  if (at == info.pod_sets.end()) return {};
  return {&*at, static_cast<size_t>(at - info.pod_sets.begin())};
}

const policy::Container* find_container(const policy::PodSet& set, std::string_view name) {
  const auto at = std::ranges::find(set.containers, name, &policy::Container::name);
  return at != set.containers.end() ? &*at : nullptr;
}

}  // namespace trainjobc::compile::advice
