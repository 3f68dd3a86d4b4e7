// SPDX-License-Identifier: Apache-2.0

#include "features/objects/pods.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/defaults.h"
#include "policy/runtime_info.h"
#include "yaml/changes.h"
#include "yaml/node.h"

namespace trainjobc::objects {
namespace {

using k8s::jobset::JobSetView;
using k8s::jobset::ReplicatedJob;
using yaml::Maker;
using yaml::Node;

const Node* with_all_requests(const Node* pod_spec, const Maker& make) {
  const auto change = [&](const Node& container) { return platform::with_requests(container, make); };
  for (const std::string_view key : {"containers", "initContainers"}) {
    if (const Node* list = pod_spec->get(key))
      pod_spec = make.with(pod_spec, key, yaml::with_each(*list, make, change));
  }
  return pod_spec;
}

// The pod with a request of its own for each of its own limits that lacks one.
const Node* with_pod_requests(const Node* pod_spec, PodLimits count, const Maker& make) {
  if (count == PodLimits::DontCount) return pod_spec;
  if (count != PodLimits::FillIn) return platform::with_requests(*pod_spec, make);
  const policy::Amounts of_containers =
      policy::pod_requests(*make.with(make.with(pod_spec, "resources", nullptr), "overhead", nullptr));
  return platform::with_requests(*pod_spec, make, [&](std::string_view resource) {
    return of_containers.contains(std::string(resource));
  });
}

// The sort order of a resource. Devices are those with a domain.
int place_of_resource(std::string_view resource) {
  if (resource.find('/') != std::string_view::npos) return 0;
  if (resource == "cpu") return 1;
  if (resource == "memory") return 2;
  return resource == "ephemeral-storage" ? 3 : 4;
}

// "0" for one, "{0..3}" for four.
std::string index_range(int64_t count) {
  return count == 1 ? "0" : fmt::format("{{0..{}}}", count - 1);
}

}  // namespace

bool has_host_names(const JobSetView& view) {
  const Node* enabled = view.spec->at({"network", "enableDNSHostnames"});
  return !enabled || enabled->as_bool() != false;
}

void add(Amounts& sum, const Amounts& more) {
  for (const auto& [name, quantity] : more) {
    const auto [at, is_new] = sum.try_emplace(name, quantity);
    if (!is_new) at->second.add(quantity);
  }
}

Amounts times(Amounts amounts, int64_t factor) {
  for (auto& [name, quantity] : amounts) quantity.multiply(factor);
  return amounts;
}

std::vector<std::string> in_order(const Amounts& amounts) {
  std::vector<std::string> resources;
  for (const auto& [resource, amount] : amounts) resources.push_back(resource);
  std::ranges::stable_sort(resources, {}, place_of_resource);
  return resources;
}

Amounts requests_of_pod(const Node& pod_spec, PodLimits limits) {
  base::Arena arena;
  const Maker make(arena);
  Amounts amounts;
  const Node* with_requests = with_pod_requests(with_all_requests(&pod_spec, make), limits, make);
  for (const auto& [name, quantity] : policy::pod_requests(*with_requests)) amounts.emplace(name, quantity);
  return amounts;
}

std::string host_of(const JobSetView& view, const ReplicatedJob& job, int64_t job_index, int64_t pod) {
  const std::string name = k8s::jobset::job_name(view.name, job.name, job_index);
  const std::string address = k8s::jobset::pod_address(name, pod, k8s::jobset::subdomain_of(view));
  return has_host_names(view) ? address : address.substr(0, address.find('.'));
}

PodSet pod_set_of(const JobSetView& view, const ReplicatedJob& job) {
  PodSet set;
  set.name = job.name;
  const int64_t per_job = k8s::jobset::pods_per_job(job);
  set.pods = job.replicas * per_job;
  if (job.pod_spec) set.per_pod = requests_of_pod(*job.pod_spec);
  if (set.pods <= 0) return set;
  const std::string domain = has_host_names(view) ? fmt::format(".{}", k8s::jobset::subdomain_of(view)) : "";
  set.hosts = fmt::format("{}-{}-{}-{}{}", view.name, job.name, index_range(job.replicas),
                          index_range(per_job), domain);
  return set;
}

Demand demand_of(const Node& job_set) {
  Demand demand;
  for (const ReplicatedJob& job : k8s::jobset::view_job_set(job_set).jobs) {
    const int64_t pods = job.replicas * k8s::jobset::pods_per_job(job);
    demand.pods += pods;
    if (job.pod_spec) add(demand.requests, times(requests_of_pod(*job.pod_spec), pods));
  }
  return demand;
}

Demand demand_change(const yaml::Node* before, const yaml::Node* after) {
  Demand change;
  const auto add_times = [&](const yaml::Node* job_set, int64_t factor) {
    if (!job_set) return;
    const Demand demand = demand_of(*job_set);
    change.pods += factor * demand.pods;
    add(change.requests, times(demand.requests, factor));
  };
  add_times(before, -1);
  add_times(after, 1);
  std::erase_if(change.requests, [](const auto& request) { return request.second.is_zero(); });
  return change;
}

}  // namespace trainjobc::objects
