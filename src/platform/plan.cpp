// SPDX-License-Identifier: Apache-2.0

// What a job takes, as the rules of a team see it.
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "k8s/quantity.h"
#include "launch/processes.h"
#include "platform/team.h"
#include "policy/runtime_info.h"

namespace trainjobc::platform {
namespace {

using yaml::Entry;
using yaml::Maker;
using yaml::Node;

// Sums over all pods, and the nodes of the inputs that make them.
struct Sums {
  int64_t devices = 0;
  k8s::Quantity cpu;
  k8s::Quantity memory;
  std::vector<const Node*> device_sources, cpu_sources, memory_sources;
};

void add_sources(const Node& pod_spec, Sums& sums) {
  for (const Node* container : yaml::items_at(pod_spec, "containers")) {
    const Node* requests = container->at({"resources", "requests"});
    if (!requests) continue;
    for (const Entry& entry : requests->entries()) {
      if (entry.key == "cpu") sums.cpu_sources.push_back(entry.value);
      if (entry.key == "memory") sums.memory_sources.push_back(entry.value);
      if (entry.key.find('/') != std::string_view::npos) sums.device_sources.push_back(entry.value);
    }
  }
}

Sums sums_of(const std::vector<Subject>& subjects) {
  Sums sums;
  for (const Subject& pod : subjects) {
    if (pod.kind->kind != "Pod") continue;
    const Node& spec = *pod.root->get("spec");
    for (auto [resource, amount] : policy::pod_requests(spec)) {
      amount.multiply(pod.count);
      if (resource == "cpu") sums.cpu.add(amount);
      if (resource == "memory") sums.memory.add(amount);
      if (resource.find('/') != std::string_view::npos)
        sums.devices = launch::capped_sum(sums.devices, amount.value());
    }
    add_sources(spec, sums);
  }
  return sums;
}

// 8, or 0.5 if it is not whole.
const Node* cores(const k8s::Quantity& cpu, const Maker& make, yaml::Origin origin) {
  const int64_t milli = cpu.milli_value();
  if (milli % 1000 == 0) return make.integer(milli / 1000, origin);
  const std::string text = fmt::format("{}", static_cast<double>(milli) / 1000);
  return make.plain(yaml::Kind::Float, make.arena().copy(std::string_view(text)), origin);
}

}  // namespace

const Node* plan_of(const CompiledJob& job, const std::vector<Subject>& subjects, const Maker& make) {
  const Sums sums = sums_of(subjects);
  const launch::JobCount count = launch::count_of(launch::rendered_job(
      *job.job_set, yaml::text_at(*job.job_set, {"metadata", "namespace"}), *job.train_job, job.objects));
  const auto from = [&](std::string_view rule, std::vector<const Node*> inputs) {
    std::erase(inputs, nullptr);
    return make.made(rule, inputs);
  };
  const yaml::Origin of_nodes = from("plan/nodes", {job.train_job->at({"spec", "trainer", "numNodes"})});
  const Node* runtime = job.train_job->at({"spec", "runtimeRef", "name"});
  const Node* framework =
      count.framework ? make.string(count.framework->title, from("plan/framework", {runtime})) : nullptr;
  return make.map({
      {"nodes", make.integer(count.nodes, of_nodes), {}},
      {"pods", make.integer(count.pods, of_nodes), {}},
      {"processes", count.processes ? make.integer(*count.processes, of_nodes) : nullptr, {}},
      {"devices", make.integer(sums.devices, from("plan/devices", sums.device_sources)), {}},
      {"cpu", cores(sums.cpu, make, from("plan/cpu", sums.cpu_sources)), {}},
      {"memory", make.integer(sums.memory.value(), from("plan/memory", sums.memory_sources)), {}},
      {"queue", launch::queue_of(*job.train_job, *job.job_set, job.objects), {}},
      {"framework", framework, {}},
      {"runtime", runtime, {}},
  });
}

}  // namespace trainjobc::platform
