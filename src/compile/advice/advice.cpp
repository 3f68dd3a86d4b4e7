// SPDX-License-Identifier: Apache-2.0

// Runs the checks, and has what several of them share.
#include "compile/advice/advice.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"
#include "compile/advice/checks.h"
#include "compile/advice/trained.h"
#include "k8s/jobset/jobset.h"
#include "model/trainer_names.h"
#include "rules/rules.h"

namespace trainjobc::compile::advice {

base::Diagnostic& Advisor::warn(std::string_view rule, std::string field, std::string message,
                                const base::Location& where, std::string hint) {
  base::Diagnostic& diagnostic =
      found_.emplace_back(rules::finding(rule, std::move(message), std::move(hint), where));
  diagnostic.field = std::move(field);
  return diagnostic;
}

base::Location locate_key_of(const yaml::Node* map, std::string_view key) {
  const yaml::Entry* entry = map ? map->find(key) : nullptr;
  return entry ? yaml::locate_key(*entry) : base::Location{};
}

std::string replicated_job_field(size_t index) {
  return fmt::format("spec.template.spec.replicatedJobs[{}]", index);
}

std::vector<ContainerPlace> containers_of(const policy::RuntimeInfo& info) {
  std::vector<ContainerPlace> places;
  for (size_t job = 0; job < info.pod_sets.size(); ++job) {
    const policy::PodSet& set = info.pod_sets[job];
    const std::string pod = replicated_job_field(job) + ".template.spec.template.spec";
    for (size_t i = 0; i < set.init_containers.size(); ++i) {
      places.push_back({set, set.init_containers[i], true, fmt::format("{}.initContainers[{}]", pod, i)});
    }
    for (size_t i = 0; i < set.containers.size(); ++i) {
      places.push_back({set, set.containers[i], false, fmt::format("{}.containers[{}]", pod, i)});
    }
  }
  return places;
}

TrainerPlace trainer_of(const policy::RuntimeInfo& info) {
  const auto at = std::ranges::find(info.pod_sets, model::kTrainer, &policy::PodSet::ancestor);
  if (at == info.pod_sets.end()) return {};
  return {&*at, static_cast<size_t>(at - info.pod_sets.begin())};
}

namespace {

bool is_awaited(std::span<const yaml::Node* const> replicated_jobs, std::string_view name) {
  return std::ranges::any_of(replicated_jobs, [&](const yaml::Node* job) {
    const yaml::Node* dependency = yaml::find_named(items_at(*job, "dependsOn"), name);
    return dependency && text_at(*dependency, "status") == "Complete";
  });
}

}  // namespace

std::vector<JobPods> pods_of(const yaml::Node& job_set) {
  const auto jobs = items_at(job_set, {"spec", "replicatedJobs"});
  std::vector<JobPods> all;
  for (const yaml::Node* job : jobs) {
    const std::string_view name = text_at(*job, "name");
    const int64_t replicas = k8s::jobset::int_at(*job, "replicas").value_or(1);
    const yaml::Node* spec = job->at({"template", "spec"});
    const int64_t pods = spec ? k8s::jobset::int_at(*spec, "parallelism").value_or(1) : 1;
    all.push_back({name, std::min<int64_t>(replicas, 1000) * std::min<int64_t>(pods, 100'000),
                   job->at({"template", "spec", "template", "spec"}), is_awaited(jobs, name)});
  }
  return all;
}

std::vector<JobPods> pods_of(const policy::RuntimeInfo& info) {
  const auto jobs = info.job_set_spec ? items_at(*info.job_set_spec, "replicatedJobs")
                                      : std::span<const yaml::Node* const>();
  std::vector<JobPods> all;
  for (const policy::PodSet& set : info.pod_sets)
    all.push_back({set.name, set.count.value, set.pod_spec(), is_awaited(jobs, set.name)});
  return all;
}

const yaml::Node* misplaced_label(const policy::RuntimeInfo& info, std::string_view ancestor) {
  for (const policy::PodSet& set : info.pod_sets) {
    const yaml::Node* label =
        set.replicated_job->at({"template", "spec", "template", "metadata", "labels", model::kAncestorLabel});
    if (label && set.ancestor.empty() && label->text() == ancestor) return label;
  }
  return nullptr;
}

const policy::Container* find_container(const policy::PodSet& set, std::string_view name) {
  return base::find(set.containers, name, &policy::Container::name);
}

namespace {

using yaml::Node;

const Node* node_of(const Node& replicated_job) {
  const auto containers = items_at(replicated_job, {"template", "spec", "template", "spec", "containers"});
  return yaml::find_named(containers, model::kNode);
}

}  // namespace

std::string_view repository_of(std::string_view image) {
  image = image.substr(0, image.find('@'));
  const size_t slash = image.rfind('/');
  image = image.substr(0, image.find(':', slash == std::string_view::npos ? 0 : slash));
  for (const std::string_view prefix : {"docker.io/", "index.docker.io/", "library/"}) {
    if (image.starts_with(prefix)) image.remove_prefix(prefix.size());
  }
  return image;
}

const Node* rendered_node(const Node& job_set, std::string_view replicated_job) {
  const Node* job = yaml::find_named(items_at(job_set, {"spec", "replicatedJobs"}), replicated_job);
  return job ? node_of(*job) : nullptr;
}

std::optional<int64_t> rendered_number(const Node& job_set, std::string_view variable) {
  for (const Node* job : items_at(job_set, {"spec", "replicatedJobs"})) {
    const Node* container = node_of(*job);
    const auto env = yaml::items_of(container ? container->get("env") : nullptr);
    if (const Node* item = yaml::find_named(env, variable))
      return base::read_integer(text_at(*item, "value"));
  }
  return std::nullopt;
}

}  // namespace trainjobc::compile::advice

namespace trainjobc::compile {

using namespace advice;

k8s::Violations advise_job(const AdviceContext& context) {
  Advisor advisor;
  const std::optional<TrainingContainer> trained = trained_of(context);
  for (const Checks& subject : subjects()) {
    for (const JobCheck check : subject.job) check(context, advisor);
    if (!trained) continue;
    for (const TrainingCheck check : subject.training) check(*trained, advisor);
  }
  return advisor.take();
}

k8s::Violations advise_runtime(const model::Runtime& runtime, const model::Behaviours& behaviours,
                               bool has_jobs, const Surroundings& around) {
  const model::TrainJob job;
  const policy::RuntimeInfo info = policy::make_runtime_info(job, runtime, runtime.job_set_spec, behaviours);
  Advisor advisor;
  for (const Checks& subject : subjects()) {
    for (const RuntimeCheck check : subject.runtime) check({runtime, info, has_jobs, around}, advisor);
  }
  return advisor.take();
}

}  // namespace trainjobc::compile
