// SPDX-License-Identifier: Apache-2.0

#include "features/compose/compose.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/text/text.h"
#include "features/compose/draft.h"
#include "features/objects/pods.h"
#include "k8s/jobset/jobset.h"
#include "k8s/object_meta.h"
#include "model/runtime.h"
#include "model/trainer_names.h"
#include "yaml/write/writer.h"

namespace trainjobc::compose {

using k8s::jobset::JobSetView;
using k8s::jobset::ReplicatedJob;
using yaml::items_at;
using yaml::Node;
using yaml::text_at;
using yaml::value_at;

std::optional<Mount> read_mount(std::string_view text) {
  Mount mount;
  mount.read_only = text.ends_with(":ro");
  if (mount.read_only) text.remove_suffix(3);
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  mount.source = text.substr(0, colon);
  mount.target = text.substr(colon + 1);
  while (mount.target.size() > 1 && mount.target.ends_with('/')) mount.target.pop_back();
  const bool is_path =
      mount.target.starts_with('/') && mount.target != "/" && base::to_valid_utf8(text) == text &&
      std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  return is_path ? std::optional(mount) : std::nullopt;
}

std::string check_mounts(std::span<const Mount> mounts) {
  for (auto mount = mounts.begin(); mount != mounts.end(); ++mount) {
    if (std::ranges::count(mount + 1, mounts.end(), mount->target, &Mount::target) > 0)
      return fmt::format("{} is mounted twice", mount->target);
  }
  return "";
}

bool is_image(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

namespace {

constexpr int64_t kMostPods = 256;  // more need a cluster, not a machine

class FileMaker {
 public:
  FileMaker(const Object& job_set, Draft& draft)
      : draft_(draft), job_set_(job_set), view_(k8s::jobset::view_job_set(*job_set.root)) {}

  // Returns "" if the job fits on one machine, otherwise the reason.
  std::string collect_pods() {
    int64_t count = 0;
    for (const ReplicatedJob& job : view_.jobs) {
      const int64_t per_job = k8s::jobset::pods_per_job(job);
      if (job.replicas > kMostPods || per_job > kMostPods) count = kMostPods;
      count += std::max<int64_t>(job.replicas, 0) * std::min(per_job, kMostPods);
      if (count > kMostPods)
        return fmt::format(
            "the job has more than {} pods, too many for one machine: --nodes makes it smaller", kMostPods);
      add_pods(job, per_job);
    }
    return pods_.empty() ? "the job has no pods" : "";
  }

  std::string write() {
    collect_claims();
    Fields services(draft_.make);
    for (const Pod& pod : pods_) add_services(draft_, pod, conditions_of(pod), is_waited_for(pod), services);
    note_policies();
    const Node* file = draft_.make.map({{"name", draft_.make.string(view_.name)},
                                        {"services", services.node()},
                                        {"configs", draft_.configs.node_if_any()},
                                        {"volumes", draft_.volumes.node_if_any()}});
    std::string text = fmt::format(
        "# TrainJob {}/{} on one machine, made by: trainjobc compose\n# Run it with: docker compose {}\n",
        k8s::effective_namespace(draft_.ns), view_.name, start_command());
    yaml::write_yaml(*draft_.as_read_back(*file), yaml::KeyOrder::AsIs, text);
    return text;
  }

 private:
  void add_pods(const ReplicatedJob& job, int64_t per_job) {
    if (!job.pod_spec) return;
    const Node* completed = k8s::jobset::first_job(*job_set_.root, view_, job, draft_.make);
    const Node* spec = completed->at({"spec", "template", "spec"});
    const auto parts = std::make_shared<const PodParts>(spec ? *spec : *job.pod_spec);
    const std::string_view step = model::ancestor_of(*job.node);
    for (int64_t index = 0; index < job.replicas; ++index) {
      for (int64_t pod = 0; pod < per_job; ++pod) {
        Pod& added = pods_.emplace_back();
        added.job = &job;
        added.spec = spec ? spec : job.pod_spec;
        added.parts = parts;
        added.job_index = index;
        added.index = pod;
        added.service = fmt::format("{}-{}-{}", job.name, index, pod);
        draft_.services.insert(added.service);
        added.host = fmt::format("{}-{}", k8s::jobset::job_name(view_.name, job.name, index), pod);
        added.address = objects::host_of(view_, job, index, pod);
        added.trains = step != model::kDatasetInitializer && step != model::kModelInitializer;
      }
    }
  }

  void collect_claims() {
    for (const Node* policy : items_at(*view_.spec, "volumeClaimPolicies")) {
      for (const Node* claim : items_at(*policy, "templates"))
        draft_.claims.insert(k8s::jobset::claim_name(text_at(*claim, {"metadata", "name"}), view_.name));
    }
  }

  bool is_in_order() const {
    return value_at(*view_.spec, {"startupPolicy", "startupPolicyOrder"}) == "InOrder";
  }

  // The replicatedJobs after which a pod starts, and whether they must have completed.
  std::vector<std::pair<std::string_view, bool>> dependencies_of(const ReplicatedJob& job) const {
    std::vector<std::pair<std::string_view, bool>> out;
    for (const Node* dependency : items_at(*job.node, "dependsOn"))
      out.emplace_back(text_at(*dependency, "name"), text_at(*dependency, "status") == "Complete");
    if (!out.empty() || !is_in_order()) return out;
    const auto place = view_.places.find(job.name);
    if (place != view_.places.end() && place->second > 0)
      out.emplace_back(view_.jobs[place->second - 1].name, false);
    return out;
  }

  Conditions conditions_of(const Pod& pod) const {
    Conditions conditions;
    for (const auto& [name, completed] : dependencies_of(*pod.job)) {
      for (const Pod& other : pods_) {
        if (other.job->name != name) continue;
        const Node* main = other.parts->main;
        const bool is_checked = main && health_check(draft_, *main);
        conditions.emplace_back(other.service, completed ? kCompleted : is_checked ? kHealthy : kStarted);
      }
    }
    return conditions;
  }

  bool is_waited_for(const Pod& pod) const {
    return std::ranges::any_of(view_.jobs, [&](const ReplicatedJob& job) {
      const auto dependencies = dependencies_of(job);
      return std::ranges::count(dependencies, std::pair(pod.job->name, false)) > 0;
    });
  }

  void note_policies() {
    const Node* failure = view_.spec->get("failurePolicy");
    const auto restarts = failure ? k8s::jobset::int_at(*failure, "maxRestarts") : std::nullopt;
    if (restarts.value_or(0) > 0)
      draft_.note(fmt::format(
          "failurePolicy.maxRestarts ({}) is left out: Compose does not start all pods again", *restarts));
    for (const ReplicatedJob& job : view_.jobs) {
      const Node* policy = job.job_spec ? job.job_spec->get("podFailurePolicy") : nullptr;
      if (policy && !policy->is_empty_value()) draft_.note("podFailurePolicy is left out");
    }
  }

  // The command that starts the job, and ends it when its successPolicy says so, or when a container fails.
  std::string start_command() const {
    const auto targets = items_at(*view_.spec, {"successPolicy", "targetReplicatedJobs"});
    const bool any = value_at(*view_.spec, {"successPolicy", "operator"}) == "Any";
    std::vector<std::string_view> services;
    for (const Pod& pod : pods_) {
      const auto is_it = [&](const Node* name) { return name->text() == pod.job->name; };
      if (std::ranges::any_of(targets, is_it)) services.push_back(pod.service);
    }
    if (services.size() == 1 && pods_.size() > 1)
      return fmt::format("up --exit-code-from {} --attach {}", services[0], services[0]);
    if (any) return "up --abort-on-container-exit";
    return services.empty() || services.size() == pods_.size()
               ? "up --abort-on-container-failure"
               : fmt::format("up --abort-on-container-failure {}", fmt::join(services, " "));
  }

  Draft& draft_;
  const Object& job_set_;
  JobSetView view_;
  std::vector<Pod> pods_;
};

bool is_of_job(const Object& object) {
  return object.kind == "JobSet" && !object.passthrough;
}

}  // namespace

std::string check_one_job(std::span<const Object> objects, std::string_view wanted, std::string_view way) {
  const auto jobs = std::ranges::count_if(objects, is_of_job);
  if (jobs == 1) return "";
  if (jobs > 1) return fmt::format("the inputs contain {} TrainJobs: choose one {}", jobs, way);
  return wanted.empty() ? "the inputs contain no TrainJob"
                        : fmt::format("the inputs contain no TrainJob \"{}\"", wanted);
}

Composition compose_job(std::span<const Object> objects, const ComposeOptions& options) {
  Composition made;
  const auto job_set = std::ranges::find_if(objects, is_of_job);
  base::Arena arena;
  const yaml::Maker make(arena);
  Draft draft(make, options, Files(objects, job_set->ns));
  draft.ns = job_set->ns;
  draft.job_set = job_set->name;
  FileMaker file(*job_set, draft);
  made.error = file.collect_pods();
  if (!made.error.empty()) return made;
  for (const Object& object : objects) {
    if (object.kind == "PodGroup" && !object.passthrough)
      draft.note("the PodGroup is left out: all pods start at once");
    if (object.kind == "Service" && object.passthrough)
      draft.note(fmt::format("Service \"{}\" is left out: it has no cluster IP here", object.name));
  }
  made.text = file.write();
  made.notes = draft.notes();
  return made;
}

}  // namespace trainjobc::compose
