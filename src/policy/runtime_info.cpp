// SPDX-License-Identifier: Apache-2.0

#include "policy/runtime_info.h"

#include <algorithm>

#include "base/text/text.h"
#include "k8s/jobset/jobset.h"
#include "model/trainer_names.h"

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

namespace {

using k8s::Quantity;
using yaml::Node;

ResourceTotals read_list(const Node* list) {
  ResourceTotals totals;
  if (!list) return totals;
  for (const yaml::Entry& entry : list->entries()) {
    if (const auto quantity = Quantity::parse(entry.value->text())) totals[entry.key] = *quantity;
  }
  return totals;
}

ResourceTotals requests_of(const Node& container) {
  return read_list(container.at({"resources", "requests"}));
}

void add(ResourceTotals& totals, const ResourceTotals& more) {
  for (const auto& [name, quantity] : more) {
    const auto [at, is_new] = totals.try_emplace(name, quantity);
    if (!is_new) at->second.add(quantity);
  }
}

void raise(ResourceTotals& totals, const ResourceTotals& least) {
  for (const auto& [name, quantity] : least) {
    const auto [at, is_new] = totals.try_emplace(name, quantity);
    if (!is_new && quantity.compare(at->second) > 0) at->second = quantity;
  }
}

bool is_sidecar(const Node& container) {
  return text_at(container, "restartPolicy") == "Always";
}

// Adds the needs of the init containers; sidecars run alongside everything that starts after them.
void add_init_containers(ResourceTotals& totals, const Node& pod_spec) {
  const Node* containers = pod_spec.get("initContainers");
  if (!containers) return;
  ResourceTotals sidecars;
  ResourceTotals peak;
  for (const Node* container : containers->items()) {
    ResourceTotals needed = requests_of(*container);
    if (is_sidecar(*container)) {
      add(totals, needed);
      add(sidecars, needed);
      needed = sidecars;
    } else {
      add(needed, sidecars);
    }
    raise(peak, needed);
  }
  raise(totals, peak);
}

bool is_pod_level(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || resource.starts_with("hugepages-");
}

}  // namespace

ResourceTotals pod_requests(const Node& pod_spec) {
  ResourceTotals totals;
  if (const Node* containers = pod_spec.get("containers")) {
    for (const Node* container : containers->items()) add(totals, requests_of(*container));
  }
  add_init_containers(totals, pod_spec);
  for (const auto& [name, quantity] : requests_of(pod_spec)) {
    if (is_pod_level(name)) totals[name] = quantity;
  }
  add(totals, read_list(pod_spec.get("overhead")));
  return totals;
}

Gang gang_of(const RuntimeInfo& info) {
  Gang gang;
  for (const PodSet& set : info.pod_sets) {
    gang.members += set.count.value;
    const Node* spec = set.gang_pod_spec ? set.gang_pod_spec : set.pod_spec();
    if (!spec) continue;
    for (auto& [name, quantity] : pod_requests(*spec)) {
      Quantity product = quantity;
      product.multiply(set.count.value);
      Quantity sum = gang.resources[name];
      sum.add(product);
      gang.resources[name] = sum;
    }
  }
  return gang;
}

const Node* to_node(const yaml::Maker& make, const ResourceTotals& totals, yaml::Origin origin) {
  std::vector<yaml::Entry> entries;
  entries.reserve(totals.size());
  for (const auto& [name, quantity] : totals) {
    entries.push_back({name, make.copied(quantity.to_string(), origin), {}});
  }
  return make.map(entries, origin);
}

}  // namespace trainjobc::policy
