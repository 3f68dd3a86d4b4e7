// SPDX-License-Identifier: Apache-2.0

// Volumes of a pod that none of its containers mounts.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compile/advice/checks.h"

namespace trainjobc::compile::advice::volumes {
namespace {

using yaml::Node;
using Names = std::set<std::string_view>;

// The names of the volumes that are mounted as file systems or used as block devices.
Names mounted_in(const Node& pod_spec) {
  Names names;
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    for (const Node* container : items_at(pod_spec, list)) {
      for (const std::string_view uses : {"volumeMounts", "volumeDevices"}) {
        for (const Node* use : items_at(*container, uses)) names.insert(text_at(*use, "name"));
      }
    }
  }
  return names;
}

// Whether a container mounts a volume that doesn't exist: that may be a misspelling, and job/volume-mount
// reports it.
bool mounts_another(const Node& pod_spec, const Names& mounted) {
  Names volumes;
  for (const Node* volume : items_at(pod_spec, "volumes")) volumes.insert(text_at(*volume, "name"));
  return !std::ranges::includes(volumes, mounted);
}

// `pod_spec` is a part of `pod`.
void check_volumes(const Node& pod_spec, const Node& pod, const std::string& field, Advisor& advisor) {
  const Names mounted = mounted_in(pod);
  const auto volumes = items_at(pod_spec, "volumes");
  if (volumes.empty() || mounts_another(pod, mounted)) return;
  for (size_t i = 0; i < volumes.size(); ++i) {
    const Node* name = volumes[i]->get("name");
    if (!name || mounted.contains(name->text()) || text_at(*volumes[i], "$patch") == "delete") continue;
    advisor.warn("advice/unmounted-volume", fmt::format("{}.volumes[{}].name", field, i),
                 fmt::format("no container of the pod mounts volume \"{}\"", name->text()),
                 yaml::locate(*name),
                 fmt::format("add volumeMounts: [{{name: {}, mountPath: …}}] to a container, or remove it",
                             name->text()));
  }
}

// Checks the volumes that the job adds; the runtime has its own advice.
void check_job_volumes(const AdviceContext& context, Advisor& advisor) {
  for (const PodPatch& patch : pod_patches(context.job)) {
    if (!patch.pod_spec || !patch.job_name) continue;
    const auto jobs = items_at(context.admitted_job_set, {"spec", "replicatedJobs"});
    const Node* job = yaml::find_named(jobs, patch.job_name->text());
    const Node* pod = job ? job->at({"template", "spec", "template", "spec"}) : nullptr;
    if (pod) check_volumes(*patch.pod_spec, *pod, patch.pod_field, advisor);
  }
}

void check_runtime_volumes(const RuntimeContext& context, Advisor& advisor) {
  for (size_t i = 0; i < context.info.pod_sets.size(); ++i) {
    const Node* pod = context.info.pod_sets[i].pod_spec();
    if (!pod) continue;
    check_volumes(*pod, *pod, replicated_job_field(i) + ".template.spec.template.spec", advisor);
  }
}

}  // namespace

Checks checks() {
  return {.job = {check_job_volumes}, .runtime = {check_runtime_volumes}};
}

}  // namespace trainjobc::compile::advice::volumes
