// SPDX-License-Identifier: Apache-2.0

#include "features/plan/quota/admit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text/suggest.h"
#include "base/text/text.h"
#include "k8s/jobset/jobset.h"
#include "k8s/kueue/webhook.h"
#include "k8s/name_syntax.h"
#include "k8s/object_meta.h"
#include "model/trainer_names.h"
#include "secret/secret.h"

namespace trainjobc::plan {
namespace {

// Source of the rules: Kueue 0.15 to 0.19, pkg/scheduler (nominate), pkg/cache (inactive queues),
// pkg/controller/jobframework, pkg/controller/jobs/jobset, pkg/workload, pkg/util/priority.

using yaml::Node;
using yaml::value_at;

constexpr std::string_view kDefaultQueue = "default";  // for jobs without a label, if the namespace has one
constexpr std::string_view kNamespaceName = "kubernetes.io/metadata.name";

// PriorityClasses that every cluster has.
constexpr std::array kPrioritiesOfCluster{
    std::pair{std::string_view("system-cluster-critical"), 2'000'000'000},
    std::pair{std::string_view("system-node-critical"), 2'000'001'000}};

// Kueue can't place a pod set by topology if it takes two flavors.
std::vector<Obstacle> split_topologies(const Quota& quota, const std::vector<AssignedFlavor>& flavors) {
  std::map<std::string, const AssignedFlavor*> first;
  for (const AssignedFlavor& flavor : flavors) {
    const auto [at, is_new] = first.try_emplace(flavor.pod_set, &flavor);
    if (is_new || at->second->flavor == flavor.flavor) continue;
    if (quota.flavors.find(flavor.flavor)->second.topology.empty()) continue;
    return {{flavor.pod_set, flavor.resource, flavor.flavor, "", "",
             fmt::format("its pods are placed by topology, and {} comes from flavor {}", at->second->resource,
                         at->second->flavor),
             ""}};
  }
  return {};
}

class Admitter {
 public:
  Admitter(const Capacity& capacity, const QueuedJob& job)
      : capacity_(capacity), quota_(capacity.quota()), job_(job) {}

  Admission run() {
    find_local_queue();
    if (admission_.local_queue.empty()) return admission_;
    admission_.verdict = Verdict::Never;
    if (is_refused() || !has_valid_labels() || !has_priority_class() || !has_known_claims())
      return admission_;
    const ClusterQueue* queue = find_cluster_queue();
    if (queue && is_active(*queue) && takes_namespace(*queue)) assign(*queue);
    return admission_;
  }

 private:
  void never(std::string reason) {
    admission_.obstacles.push_back({"", "", "", "", "", std::move(reason), ""});
  }

  // Whether Kueue's webhook refuses the TrainJob, so that there is none to admit.
  bool is_refused() {
    for (const base::Diagnostic& found : k8s::kueue::check_train_job(job_.train_job, job_.job_set))
      never(found.message);
    return !admission_.obstacles.empty();
  }

  // Of the pods: they are also those of the Workload.
  bool has_valid_labels() {
    for (const k8s::jobset::ReplicatedJob& job : k8s::jobset::view_job_set(job_.job_set).jobs) {
      const Node* labels = job.node->at({"template", "spec", "template", "metadata", "labels"});
      if (!labels) continue;
      for (const yaml::Entry& label : labels->entries()) {
        if (k8s::has_form(k8s::Form::LabelKey, label.key) &&
            k8s::has_form(k8s::Form::LabelValue, label.value->text()))
          continue;
        admission_.obstacles.push_back(
            {std::string(job.name), "", "", "", "",
             fmt::format("Kueue makes no Workload for pods with an invalid label {}", label.key), ""});
      }
    }
    return admission_.obstacles.empty();
  }

  std::string_view priority_label() const {
    for (const Node* root : {&job_.train_job, &job_.job_set}) {
      const std::string_view name = value_at(*root, {"metadata", "labels", model::kKueuePriorityLabel});
      if (!name.empty()) return name;
    }
    return "";
  }

  bool has_priority_class() {
    const std::string_view name = priority_label();
    if (name.empty() || quota_.workload_priorities.contains(name)) return true;
    never(fmt::format(
        "there is no WorkloadPriorityClass {}: Kueue makes no Workload, and the job stays suspended", name));
    return false;
  }

  // Whether Kueue knows the devices of claim templates (DRA): its configuration must map their DeviceClasses.
  bool has_known_claims() {
    if (!quota_.kueue.reads_claims) return true;
    for (const k8s::jobset::ReplicatedJob& job : k8s::jobset::view_job_set(job_.job_set).jobs) {
      if (!job.pod_spec) continue;
      for (const Node* claim : yaml::items_at(*job.pod_spec, "resourceClaims")) check_claim(job.name, *claim);
    }
    return admission_.obstacles.empty();
  }

  void check_claim(std::string_view pod_set, const Node& claim) {
    const std::string_view own = value_at(claim, {"resourceClaimName"});
    const std::string name(value_at(claim, {"resourceClaimTemplateName"}));
    std::string reason;
    if (!own.empty()) {
      reason =
          fmt::format("Kueue admits no job that shares ResourceClaim {}: use a ResourceClaimTemplate", own);
    } else if (!name.empty()) {
      const auto found = quota_.claim_templates.find({std::string(job_.ns), name});
      if (found == quota_.claim_templates.end()) {
        reason = fmt::format("namespace {} has no ResourceClaimTemplate {}", job_.ns, name);
      } else {
        const auto unmapped = std::ranges::find_if(found->second, [&](const std::string& one) {
          return !quota_.mapped_device_classes.contains(one);
        });
        if (unmapped == found->second.end()) return;
        reason =
            fmt::format("no deviceClassMappings of Kueue's configuration name DeviceClass {} of template {}",
                        *unmapped, name);
      }
    }
    if (!reason.empty())
      admission_.obstacles.push_back({std::string(pod_set), "", "", "", "", std::move(reason), ""});
  }

  void find_local_queue() {
    for (const Node* root : {&job_.train_job, &job_.job_set}) {
      const std::string_view label = value_at(*root, {"metadata", "labels", model::kKueueLabel});
      if (admission_.local_queue.empty()) admission_.local_queue = label;
    }
    const bool has_default = quota_.local_queues.contains({std::string(job_.ns), std::string(kDefaultQueue)});
    if (admission_.local_queue.empty() && has_default) admission_.local_queue = kDefaultQueue;
  }

  std::string did_you_mean() const {
    std::vector<std::string_view> names;
    for (const auto& [key, queue] : quota_.local_queues) {
      if (key.first == job_.ns) names.push_back(key.second);
    }
    const auto meant = base::closest(admission_.local_queue, names);
    if (meant) return fmt::format(", did you mean \"{}\"?", *meant);
    return names.empty() ? "" : fmt::format("; it has {}", fmt::join(names, ", "));
  }

  const ClusterQueue* find_cluster_queue() {
    const auto local = quota_.local_queues.find({std::string(job_.ns), admission_.local_queue});
    if (local == quota_.local_queues.end()) {
      never(fmt::format("namespace {} has no LocalQueue {}{}", job_.ns, admission_.local_queue,
                        did_you_mean()));
      return nullptr;
    }
    admission_.cluster_queue = local->second.cluster_queue;
    if (local->second.is_stopped) {
      never(fmt::format("LocalQueue {} is stopped", admission_.local_queue));
      return nullptr;
    }
    const auto queue = quota_.cluster_queues.find(admission_.cluster_queue);
    if (queue == quota_.cluster_queues.end()) {
      never(fmt::format("LocalQueue {} refers to ClusterQueue {}, which does not exist",
                        admission_.local_queue, admission_.cluster_queue));
      return nullptr;
    }
    admission_.cohort = queue->second.cohort;
    return &queue->second;
  }

  bool is_active(const ClusterQueue& queue) {
    if (queue.is_stopped) never(fmt::format("ClusterQueue {} is stopped", queue.name));
    for (const std::string& flavor : quota_.missing_flavors(queue))
      never(fmt::format("ClusterQueue {} refers to ResourceFlavor {}, which does not exist", queue.name,
                        flavor));
    const std::vector<std::string> cycle = capacity_.cycle_from(queue.cohort);
    if (!cycle.empty())
      never(fmt::format("the Cohorts {} are parents of each other", fmt::join(cycle, ", ")));
    for (const std::string& check : queue.admission_checks) {
      if (!quota_.admission_checks.contains(check))
        never(fmt::format("ClusterQueue {} refers to AdmissionCheck {}, which does not exist", queue.name,
                          check));
    }
    if (!queue.admission_checks.empty() && admission_.obstacles.empty()) {
      admission_.conditions.push_back(fmt::format("AdmissionCheck{} {} must pass",
                                                  queue.admission_checks.size() == 1 ? "" : "s",
                                                  fmt::join(queue.admission_checks, ", ")));
    }
    return admission_.obstacles.empty();
  }

  bool takes_namespace(const ClusterQueue& queue) {
    if (!queue.namespace_selector) {
      never(fmt::format("ClusterQueue {} has no namespaceSelector: it admits from no namespace", queue.name));
      return false;
    }
    const auto known = quota_.namespaces.find(job_.ns);
    base::Arena arena;
    const yaml::Maker make(arena);
    const Node* labels = make.with(known != quota_.namespaces.end() ? known->second : nullptr, kNamespaceName,
                                   make.string(job_.ns));
    if (k8s::selects(queue.namespace_selector, labels)) return true;
    const auto keys = keys_of_selector(*queue.namespace_selector);
    const bool is_about_name = keys.size() == 1 && keys.contains(kNamespaceName);
    if (known == quota_.namespaces.end() && !is_about_name) {
      admission_.conditions.push_back(
          fmt::format("the labels of namespace {} must fit the namespaceSelector of ClusterQueue {}", job_.ns,
                      queue.name));
      return true;
    }
    never(fmt::format("ClusterQueue {} does not admit from namespace {}: its namespaceSelector doesn't match",
                      queue.name, job_.ns));
    return false;
  }

  void assign(const ClusterQueue& queue) {
    Workload workload{&queue, queued_pod_sets(quota_, queue, job_.job_set), 0, ""};
    if (workload.sets.size() > quota_.kueue.most_pod_sets) {
      never(fmt::format("it has {} replicatedJobs, and a Workload of Kueue {} at most {} pod sets",
                        workload.sets.size(), quota_.kueue.version, quota_.kueue.most_pod_sets));
      return;
    }
    const Usage nothing(capacity_);
    Obstacles obstacles;
    const Assignment assignment = assign_flavors({nothing, queue, workload.sets, nullptr, &obstacles});
    if (assignment.fit == Fit::Now) {
      admission_.flavors = assigned_flavors(assignment, workload.sets);
      admission_.obstacles = split_topologies(quota_, admission_.flavors);
      if (!admission_.obstacles.empty()) {
        admission_.flavors.clear();
        return;
      }
      admission_.verdict = Verdict::Admitted;
      add_topologies();
      add_limit_ranges();
    } else {
      admission_.obstacles = obstacles.take();
    }
    workload.created = value_at(job_.train_job, {"metadata", "creationTimestamp"});
    workload.priority = priority();
    admission_.workload = std::move(workload);
  }

  // The job's priority, which its label determines, or else its pods' class, or else the cluster's default.
  int64_t priority() {
    if (const auto known = quota_.workload_priorities.find(priority_label());
        known != quota_.workload_priorities.end())
      return known->second;
    for (const k8s::jobset::ReplicatedJob& job : k8s::jobset::view_job_set(job_.job_set).jobs) {
      const std::string_view name = job.pod_spec ? value_at(*job.pod_spec, {"priorityClassName"}) : "";
      if (name.empty()) continue;
      const auto first = [](const auto& one) { return one.first; };
      if (const auto* known = base::find(kPrioritiesOfCluster, name, first)) return known->second;
      return priority_of("PriorityClass", quota_.pod_priorities, name);
    }
    return quota_.default_priority.value_or(0);
  }

  int64_t priority_of(std::string_view kind, const std::map<std::string, int64_t, std::less<>>& known,
                      std::string_view name) {
    const auto found = known.find(name);
    if (found != known.end()) return found->second;
    admission_.conditions.push_back(
        fmt::format("{} {} is not among the objects; its priority is taken as 0", kind, name));
    return 0;
  }

  void add_topologies() {
    std::set<std::string> seen;
    for (const AssignedFlavor& assigned : admission_.flavors) {
      const std::string& topology = quota_.flavors.find(assigned.flavor)->second.topology;
      if (topology.empty() || !seen.insert(topology).second) continue;
      admission_.conditions.push_back(
          fmt::format("the nodes of Topology {} must have room for the pods", topology));
    }
  }

  // Kueue gives containers its defaults, and compares with its bounds.
  void add_limit_ranges() {
    const auto [first, last] = quota_.limit_ranges.equal_range(std::string(job_.ns));
    for (auto at = first; at != last; ++at)
      admission_.conditions.push_back(
          fmt::format("LimitRange {} of namespace {} must allow what the pods request", at->second, job_.ns));
  }

  const Capacity& capacity_;
  const Quota& quota_;
  const QueuedJob& job_;
  Admission admission_;
};

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::Admitted: return "admitted";
    case Verdict::Never: return "never";
    case Verdict::NotQueued: return "not queued";
  }
  return "";
}

Admission admit(const Capacity& capacity, const QueuedJob& job) {
  Admission admission = Admitter(capacity, job).run();
  admission.local_queue = secret::without_keys(admission.local_queue);
  for (Obstacle& obstacle : admission.obstacles) obstacle.reason = secret::without_keys(obstacle.reason);
  return admission;
}

}  // namespace trainjobc::plan
