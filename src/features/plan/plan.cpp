// SPDX-License-Identifier: Apache-2.0

#include "features/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "features/cluster/pods.h"
#include "features/plan/quota/admit.h"
#include "features/plan/ranks.h"
#include "k8s/object_meta.h"
#include "model/trainer_names.h"
#include "secret/secret.h"
#include "yaml/fields.h"

namespace trainjobc::plan {
namespace {

using yaml::Node;

// The objects of one TrainJob.
struct Rendered {
  const Object* job_set = nullptr;
  const Object* pod_group = nullptr;
  std::vector<const Object*> config_maps;
};

Rendered sorted_by_kind(std::span<const Object> objects) {
  Rendered job;
  for (const Object& object : objects) {
    if (object.kind == "JobSet") job.job_set = &object;
    if (object.kind == "PodGroup") job.pod_group = &object;
    if (object.kind == "ConfigMap") job.config_maps.push_back(&object);
  }
  return job;
}

std::string queue_of(const Rendered& job) {
  for (const Node* root : {job.job_set->train_job, job.job_set->root}) {
    const std::string_view queue = yaml::value_at(*root, {"metadata", "labels", model::kKueueLabel});
    if (!queue.empty()) return std::string(queue);
  }
  return job.pod_group ? std::string(yaml::value_at(*job.pod_group->root, {"spec", "queue"})) : "";
}

RenderedJob rendered_job(const Rendered& job, const yaml::Maker& make) {
  RenderedJob rendered;
  const Node& shown = *secret::masked_object(*job.job_set->root, make);
  rendered.view = k8s::jobset::view_job_set(shown);
  rendered.ns = job.job_set->ns;
  for (const Object* config_map : job.config_maps) {
    if (config_map->root->at({"data", "hostfile"})) rendered.hostfile = config_map->root;
    const std::string_view script = yaml::text_at(*config_map->root, {"data", "entrypoint.sh"});
    if (!script.empty()) rendered.flux_script = script;
  }
  return rendered;
}

void add_job(Total& total, const JobPlan& job) {
  ++total.jobs;
  total.nodes += job.nodes;
  total.pods += job.pods;
  total.processes =
      total.processes && job.processes ? std::optional(*total.processes + *job.processes) : std::nullopt;
  cluster::add(total.requests, job.requests);
}

}  // namespace

JobPlan plan_job(std::span<const Object> objects, const PlanOptions& options) {
  const Rendered job = sorted_by_kind(objects);
  base::Arena arena;
  JobPlan plan;
  plan.ns = k8s::effective_namespace(job.job_set->ns);
  plan.name = job.job_set->name;
  plan.id = fmt::format("TrainJob/{}/{}", plan.ns, plan.name);
  plan.runtime = yaml::text_at(*job.job_set->train_job, {"spec", "runtimeRef", "name"});
  plan.queue = queue_of(job);
  const RenderedJob rendered = rendered_job(job, yaml::Maker(arena));
  for (const k8s::jobset::ReplicatedJob& replicated_job : rendered.view.jobs) {
    PodSet set = cluster::pod_set_of(rendered.view, replicated_job);
    plan.pods += set.pods;
    cluster::add(plan.requests, cluster::times(set.per_pod, set.pods));
    plan.pod_sets.push_back(std::move(set));
  }
  add_processes(rendered, options.ranks, plan);
  if (job.pod_group) {
    const Node* minimum = job.pod_group->root->at({"spec", "minMember"});
    if (minimum) plan.gang_minimum = minimum->as_int();
  }
  if (options.quota) {
    plan.admission = admit(*options.quota, {plan.ns, *job.job_set->root, *job.job_set->train_job});
    if (plan.queue.empty()) plan.queue = plan.admission->local_queue;
  }
  return plan;
}

Plan add_totals(std::vector<JobPlan> jobs) {
  Plan plan;
  std::map<std::pair<std::string, std::string>, Total> totals;
  for (const JobPlan& job : jobs) {
    Total& total = totals[{job.ns, job.queue}];
    total.ns = job.ns;
    total.queue = job.queue;
    add_job(total, job);
    add_job(plan.total, job);
  }
  for (auto& [key, total] : totals) plan.totals.push_back(std::move(total));
  plan.jobs = std::move(jobs);
  return plan;
}

}  // namespace trainjobc::plan
