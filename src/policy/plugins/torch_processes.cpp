// SPDX-License-Identifier: Apache-2.0

// The number of processes that torchrun starts on a node.
#include <algorithm>

#include "k8s/quantity.h"
#include "policy/plugins/torch.h"

namespace trainjobc::policy::torch {
namespace {

using yaml::Node;

constexpr std::string_view kAuto = "auto";
constexpr std::string_view kCpu = "cpu";

// Whole CPUs, rounded up; 0 if there are none.
int64_t cpus_of(const Node* list) {
  const Node* cpu = list ? list->get(kCpu) : nullptr;
  const auto quantity = cpu ? k8s::Quantity::parse(cpu->text()) : std::nullopt;
  return quantity ? quantity->value() : 0;
}

ProcPerNode given_processes(const RuntimeInfo& info) {
  const Node* given = info.job->trainer ? info.job->trainer->num_proc_per_node : nullptr;
  if (!given) given = info.policy->torch->num_proc_per_node;
  ProcPerNode processes;
  processes.source = given;
  if (!given) return processes;
  processes.number = given->as_int();
  if (!processes.number) processes.word = given->text();
  return processes;
}

// Whether a list of the job's resources shows that the job trains on CPUs.
bool counts_cpus(const ProcPerNode& given, const Node& list) {
  if (given.number) return false;
  if (given.word == kAuto) return !names_gpu(list);
  return given.word == kCpu && list.get(kCpu);
}

// TorchProcesses::JobResources.
ProcPerNode from_job_resources(const RuntimeInfo& info, ProcPerNode given) {
  const Node* resources = info.job->trainer ? info.job->trainer->resources_per_node : nullptr;
  if (!resources) return given;
  for (const Node* list : {resources->get("limits"), resources->get("requests")}) {
    if (list && counts_cpus(given, *list)) return {std::max<int64_t>(1, cpus_of(list)), "", resources};
  }
  // Without requests the controller ignores the limits.
  if (!resources->get("requests") || given.word == kCpu) return {1, "", resources};
  return given;
}

// TorchProcesses::NodeResources.
ProcPerNode from_node_resources(const RuntimeInfo& info, ProcPerNode given) {
  if (given.number) return given;
  const NodeResources resources = resources_per_node(info);
  const bool by_cpus = given.word == kCpu || (given.word == kAuto && gpus_per_node(resources) == 0);
  if (!by_cpus) return {std::nullopt, given.word, resources.source};
  const int64_t requested = cpus_of(resources.requests);
  const int64_t cpus = requested != 0 ? requested : cpus_of(resources.limits);
  return {std::max<int64_t>(1, cpus), "", resources.source};
}

}  // namespace

std::string ProcPerNode::text() const {
  return number ? std::to_string(*number) : word;
}

ProcPerNode proc_per_node(const RuntimeInfo& info) {
  ProcPerNode given = given_processes(info);
  switch (info.behaviours->torch.processes) {
    case model::TorchProcesses::JobResources: return from_job_resources(info, std::move(given));
    case model::TorchProcesses::NodeResources: return from_node_resources(info, std::move(given));
  }
  return given;
}

}  // namespace trainjobc::policy::torch
