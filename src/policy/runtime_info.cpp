// SPDX-License-Identifier: Apache-2.0

#include "policy/runtime_info.h"

#include <algorithm>
#include <set>

#include "base/text/text.h"
#include "k8s/jobset/jobset.h"
#include "model/trainer_names.h"
#include "policy/gpu_count.h"

namespace trainjobc::policy {

// Kubernetes compares resource names without case here.
bool is_gpu(std::string_view resource) {
  return base::lower_case(resource).find("gpu") != std::string::npos;
}

namespace {

using yaml::Node;

PodCount initial_count(const PodSet& set, const std::optional<model::MLPolicy>& policy) {
  PodCount count;
  if (set.ancestor == model::kTrainer && policy) {
    count.source = policy->node;
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

const Node* find(const StringMap& map, std::string_view key) {
  const yaml::Entry* entry = base::find(map, key, &yaml::Entry::key);
  return entry ? entry->value : nullptr;
}

PodSet* RuntimeInfo::pod_set_by_ancestor(std::string_view ancestor) {
  return base::find(pod_sets, ancestor, &PodSet::ancestor);
}

PodSet* RuntimeInfo::pod_set_by_name(std::string_view name) {
  return base::find(pod_sets, name, &PodSet::name);
}

const PodSet* RuntimeInfo::pod_set_by_name(std::string_view name) const {
  return base::find(pod_sets, name, &PodSet::name);
}

Container* RuntimeInfo::container_by_ancestor(std::string_view ancestor, std::string_view container) {
  PodSet* set = pod_set_by_ancestor(ancestor);
  return set ? base::find(set->containers, container, &Container::name) : nullptr;
}

Container* RuntimeInfo::container_by_pod_set(std::string_view pod_set, std::string_view container) {
  PodSet* set = pod_set_by_name(pod_set);
  if (!set) return nullptr;
  for (std::vector<Container>* list : {&set->containers, &set->init_containers}) {
    if (Container* found = base::find(*list, container, &Container::name)) return found;
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

std::string first_node_address(const RuntimeInfo& info) {
  const std::string job = k8s::jobset::job_name(info.job_name(), model::kNode, 0);
  return k8s::jobset::pod_address(job, 0, info.job_name());
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

const Node* ambiguous_gpus(const NodeResources& resources) {
  const Node* list = count_gpus(resources.requests) != 0 ? resources.requests : resources.limits;
  std::set<std::string_view> amounts;
  if (!list) return nullptr;
  for (const yaml::Entry& entry : list->entries()) {
    if (is_gpu(entry.key)) amounts.insert(entry.value->text());
  }
  return amounts.size() > 1 ? list : nullptr;
}

namespace {

bool is_pod_level(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || resource.starts_with("hugepages-");
}

}  // namespace

Amounts pod_requests(const Node& pod_spec) {
  Amounts amounts = k8s::pod::most_needed(pod_spec, "requests", k8s::Quantity::parse);
  for (const auto& [name, quantity] :
       k8s::pod::amounts_in(pod_spec.at({"resources", "requests"}), k8s::Quantity::parse)) {
    if (is_pod_level(name)) amounts[name] = quantity;
  }
  k8s::pod::add_amounts(amounts, k8s::pod::amounts_in(pod_spec.get("overhead"), k8s::Quantity::parse));
  return amounts;
}

Gang gang_of(const RuntimeInfo& info) {
  Gang gang;
  for (const PodSet& set : info.pod_sets) {
    gang.members += set.count.value;
    const Node* spec = set.gang_pod_spec ? set.gang_pod_spec : set.pod_spec();
    if (!spec) continue;
    for (auto& [name, quantity] : pod_requests(*spec)) {
      quantity.multiply(set.count.value);
      gang.resources[name].add(quantity);
    }
  }
  return gang;
}

const Node* to_node(const yaml::Maker& make, const Amounts& amounts, yaml::Origin origin) {
  std::vector<yaml::Entry> entries;
  entries.reserve(amounts.size());
  for (const auto& [name, quantity] : amounts) {
    entries.push_back({name, make.copied(quantity.to_string(), origin), {}});
  }
  return make.map(entries, origin);
}

}  // namespace trainjobc::policy
