// SPDX-License-Identifier: Apache-2.0

// What a job takes, as the rules of a team see it.
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/text.h"
#include "k8s/quantity.h"
#include "model/trainer_names.h"
#include "platform/team.h"
#include "policy/plugin.h"
#include "policy/runtime_info.h"

namespace trainjobc::platform {
namespace {

using yaml::Entry;
using yaml::Maker;
using yaml::Node;

// How many processes the job has; nullopt if that depends on the machine.
std::optional<int64_t> count_processes(const policy::RuntimeInfo& info, int64_t nodes) {
  const policy::Framework* framework = policy::framework_of(info);
  if (!framework || framework->processes.empty()) return nodes;
  policy::RuntimeInfo own = info;
  const policy::Container* container = own.trainer_container();
  const Node* variable =
      container ? yaml::find_named(container->env, policy::processes_of(*framework, info)) : nullptr;
  const std::string_view given = variable ? yaml::text_at(*variable, "value") : std::string_view();
  std::optional<int64_t> number = base::read_integer(given);
  if (!number && (given.empty() || given == "auto" || given == "gpu")) {
    const int64_t gpus = policy::gpus_per_node(policy::resources_per_node(info));
    if (gpus > 0) number = gpus;
  }
  if (!number) return std::nullopt;
  return framework->processes_per_node ? *number * nodes : *number;
}

// Sums over all pods, and the nodes of the inputs that make them.
struct Sums {
  int64_t pods = 0;
  int64_t nodes = 0;
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
    sums.pods += pod.count;
    if (pod.trains) sums.nodes += pod.count;
    for (auto [resource, amount] : policy::pod_requests(spec)) {
      amount.multiply(pod.count);
      if (resource == "cpu") sums.cpu.add(amount);
      if (resource == "memory") sums.memory.add(amount);
      if (resource.find('/') != std::string_view::npos) sums.devices += amount.value();
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

const Node* queue_of(const CompiledJob& job) {
  for (const Node* root : {job.job_set, job.train_job}) {
    const Node* queue = root->at({"metadata", "labels", model::kKueueLabel});
    if (queue && !yaml::string_of(queue).empty()) return queue;
  }
  return nullptr;
}

}  // namespace

const Node* plan_of(const CompiledJob& job, const std::vector<Subject>& subjects, const Maker& make) {
  const Sums sums = sums_of(subjects);
  const Node* nodes = job.train_job->at({"spec", "trainer", "numNodes"});
  const auto from = [&](std::string_view rule, std::vector<const Node*> inputs) {
    std::erase(inputs, nullptr);
    return make.made(rule, inputs);
  };
  const yaml::Origin of_nodes = from("plan/nodes", {nodes});
  const auto processes = count_processes(*job.info, sums.nodes);
  const policy::Framework* framework = policy::framework_of(*job.info);
  const yaml::Origin of_runtime = from("plan/framework", {job.train_job->at({"spec", "runtimeRef", "name"})});
  return make.map({
      {"nodes", make.integer(sums.nodes, of_nodes), {}},
      {"pods", make.integer(sums.pods, of_nodes), {}},
      {"processes", processes ? make.integer(*processes, of_nodes) : nullptr, {}},
      {"devices", make.integer(sums.devices, from("plan/devices", sums.device_sources)), {}},
      {"cpu", cores(sums.cpu, make, from("plan/cpu", sums.cpu_sources)), {}},
      {"memory", make.integer(sums.memory.value(), from("plan/memory", sums.memory_sources)), {}},
      {"queue", queue_of(job), {}},
      {"framework", framework ? make.string(framework->title, of_runtime) : nullptr, {}},
      {"runtime", job.train_job->at({"spec", "runtimeRef", "name"}), {}},
  });
}

}  // namespace trainjobc::platform
