// SPDX-License-Identifier: Apache-2.0

#include "policy/runtime_info.h"

#include <algorithm>

#include "base/text/ascii.h"
#include "k8s/quantity.h"
#include "model/trainer_names.h"
#include "yaml/fields.h"

namespace trainjobc::policy {
namespace {

using yaml::Node;

Container read_container(const Node& node) {
  Container container;
  container.node = &node;
  container.name = text_at(node, "name");
  container.image = node.get("image");
  container.command = node.get("command");
  container.env = copied_items(node.get("env"));
  container.ports = copied_items(node.get("ports"));
  container.volume_mounts = copied_items(node.get("volumeMounts"));
  return container;
}

std::vector<Container> read_containers(const Node& pod_spec, std::string_view key) {
  std::vector<Container> containers;
  for (const Node* item : items_at(pod_spec, key)) containers.push_back(read_container(*item));
  return containers;
}

PodCount initial_count(const PodSet& set, const std::optional<model::MLPolicy>& policy) {
  PodCount count;
  if (set.ancestor == model::kTrainer && policy) {
    if (policy->num_nodes) count = {policy->num_nodes->value, policy->num_nodes->node};
  } else if (const Node* parallelism = set.replicated_job->at({"template", "spec", "parallelism"})) {
    count = {parallelism->as_int().value_or(1), parallelism};
  }
  count.value = std::max<int64_t>(count.value, 1);
  return count;
}

PodSet read_pod_set(const Node& replicated_job, const std::optional<model::MLPolicy>& policy) {
  PodSet set;
  set.replicated_job = &replicated_job;
  set.name = text_at(replicated_job, "name");
  set.ancestor = model::ancestor_of(replicated_job);
  set.count = initial_count(set, policy);
  if (const Node* spec = set.pod_spec()) {
    set.volumes = copied_items(spec->get("volumes"));
    set.init_containers = read_containers(*spec, "initContainers");
    set.containers = read_containers(*spec, "containers");
  }
  return set;
}

// Kubernetes compares resource names without case here.
bool is_gpu(std::string_view resource) {
  return base::lower_case(resource).find("gpu") != std::string::npos;
}

// The controller uses the first entry in Go's random map order; we use the first in alphabetical order.
int64_t count_gpus(const Node* list) {
  if (!list) return 0;
  const yaml::Entry* first = nullptr;
  for (const yaml::Entry& entry : list->entries()) {
    if (is_gpu(entry.key) && (!first || entry.key < first->key)) first = &entry;
  }
  if (!first) return 0;
  const auto quantity = k8s::Quantity::parse(first->value->text());
  return quantity ? quantity->value() : 0;
}

}  // namespace

const Node* PodSet::pod_spec() const {
  return replicated_job->at({"template", "spec", "template", "spec"});
}

void put(StringMap& map, const yaml::Entry& entry) {
  const auto at = std::ranges::find(map, entry.key, &yaml::Entry::key);
  if (at == map.end()) {
    map.push_back(entry);
  } else {
    *at = entry;
  }
}

const Node* find(const StringMap& map, std::string_view key) {
  const auto at = std::ranges::find(map, key, &yaml::Entry::key);
  return at != map.end() ? at->value : nullptr;
}

PodSet* RuntimeInfo::pod_set_by_ancestor(std::string_view ancestor) {
  const auto at = std::ranges::find(pod_sets, ancestor, &PodSet::ancestor);
  return at != pod_sets.end() ? &*at : nullptr;
}

PodSet* RuntimeInfo::pod_set_by_name(std::string_view name) {
  const auto at = std::ranges::find(pod_sets, name, &PodSet::name);
  return at != pod_sets.end() ? &*at : nullptr;
}

const PodSet* RuntimeInfo::pod_set_by_name(std::string_view name) const {
  const auto at = std::ranges::find(pod_sets, name, &PodSet::name);
  return at != pod_sets.end() ? &*at : nullptr;
}

Container* RuntimeInfo::container_by_ancestor(std::string_view ancestor, std::string_view container) {
  PodSet* set = pod_set_by_ancestor(ancestor);
  if (!set) return nullptr;
  const auto at = std::ranges::find(set->containers, container, &Container::name);
  return at != set->containers.end() ? &*at : nullptr;
}

Container* RuntimeInfo::container_by_pod_set(std::string_view pod_set, std::string_view container) {
  PodSet* set = pod_set_by_name(pod_set);
  if (!set) return nullptr;
  for (std::vector<Container>* list : {&set->containers, &set->init_containers}) {
    const auto at = std::ranges::find(*list, container, &Container::name);
    if (at != list->end()) return &*at;
  }
  return nullptr;
}

Container* RuntimeInfo::trainer_container() {
  return job->trainer ? container_by_ancestor(model::kTrainer, model::kNode) : nullptr;
}

RuntimeInfo make_runtime_info(const model::TrainJob& job, const model::Runtime& runtime,
                              const Node* job_set_spec, const model::Behaviours& behaviours) {
  RuntimeInfo info;
  info.behaviours = &behaviours;
  info.job = &job;
  info.runtime = &runtime;
  info.policy = runtime.ml_policy;
  info.job_set_spec = job_set_spec;
  if (job.trainer) {
    info.trainer_command = job.trainer->command;
    info.trainer_args = job.trainer->args;
  }
  const Node* jobs = job_set_spec ? job_set_spec->get("replicatedJobs") : nullptr;
  if (!jobs) return info;
  for (const Node* item : jobs->items()) info.pod_sets.push_back(read_pod_set(*item, info.policy));
  return info;
}

bool is_launched_node(const RuntimeInfo& info, const PodSet& set) {
  return info.behaviours->mpi.launched_node_trains && info.policy && info.policy->mpi &&
         info.policy->mpi->run_launcher_as_node && set.name == model::kNode;
}

NodeResources resources_per_node(const RuntimeInfo& info) {
  if (info.job->trainer && info.job->trainer->resources_per_node) {
    const Node* resources = info.job->trainer->resources_per_node;
    return {resources->get("limits"), resources->get("requests"), resources};
  }
  for (const PodSet& set : info.pod_sets) {
    if (set.name != model::kNode && set.ancestor != model::kTrainer) continue;
    for (const Container& container : set.containers) {
      const Node* resources = container.name == model::kNode ? container.node->get("resources") : nullptr;
      if (resources) return {resources->get("limits"), resources->get("requests"), resources};
    }
  }
  return {};
}

bool names_gpu(const Node& list) {
  return std::ranges::any_of(list.entries(), [](const yaml::Entry& entry) { return is_gpu(entry.key); });
}

int64_t gpus_per_node(const NodeResources& resources) {
  const int64_t requested = count_gpus(resources.requests);
  return requested == 0 ? std::max<int64_t>(count_gpus(resources.limits), 0) : requested;
}

}  // namespace trainjobc::policy
