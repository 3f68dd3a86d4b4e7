// SPDX-License-Identifier: Apache-2.0

// Source of the rules: Kueue 0.15, pkg/controller/jobs/jobset, pkg/workload.
#include "features/plan/quota/podsets.h"

#include <array>

#include "features/plan/jobset_pods.h"
#include "yaml/fields.h"

namespace trainjobc::plan {
namespace {

// Annotations of a pod template that ask for placement by topology; the first ones name a level.
constexpr std::array<std::string_view, 5> kTopologyAnnotations{
    "kueue.x-k8s.io/podset-required-topology", "kueue.x-k8s.io/podset-preferred-topology",
    "kueue.x-k8s.io/podset-slice-required-topology", "kueue.x-k8s.io/podset-unconstrained-topology",
    "kueue.x-k8s.io/podset-slice-size"};
constexpr size_t kWithLevel = 3;

void read_topology(const yaml::Node& job_spec, QueuedPodSet& set) {
  for (size_t i = 0; i < kTopologyAnnotations.size(); ++i) {
    const yaml::Node* value = job_spec.at({"template", "metadata", "annotations", kTopologyAnnotations[i]});
    if (!value) continue;
    set.wants_topology = true;
    if (i < kWithLevel && set.topology_level.empty()) set.topology_level = value->text();
  }
}

}  // namespace

std::vector<QueuedPodSet> queued_pod_sets(const yaml::Node& job_set) {
  std::vector<QueuedPodSet> sets;
  for (const k8s::jobset::ReplicatedJob& job : k8s::jobset::view_job_set(job_set).jobs) {
    if (!job.pod_spec) continue;
    QueuedPodSet set;
    set.name = job.name;
    set.pods = job.replicas * pods_per_job(job);
    set.pod_spec = job.pod_spec;
    for (const auto& [resource, quantity] : requests_of_pod(*job.pod_spec))
      set.requests[resource] = multiplied(to_units(resource, quantity.to_string()), set.pods);
    read_topology(*job.job_spec, set);
    sets.push_back(std::move(set));
  }
  return sets;
}

}  // namespace trainjobc::plan
