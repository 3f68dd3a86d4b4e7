// SPDX-License-Identifier: Apache-2.0

#include "features/plan/quota/admit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <vector>

#include "base/text/suggest.h"
#include "features/cluster/pods.h"
#include "model/trainer_names.h"
#include "secret/secret.h"
#include "yaml/node.h"

namespace trainjobc::plan {
namespace {

// Source of the rules: Kueue 0.15, pkg/controller/jobs/jobset, pkg/workload.

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
    set.pods = job.replicas * cluster::pods_per_job(job);
    set.pod_spec = job.pod_spec;
    for (const auto& [resource, quantity] : cluster::requests_of_pod(*job.pod_spec))
      set.requests[resource] = multiplied(to_units(resource, quantity.to_string()), set.pods);
    read_topology(*job.job_spec, set);
    sets.push_back(std::move(set));
  }
  return sets;
}

namespace {

using yaml::Node;

constexpr std::string_view kPods = "pods";

const ResourceGroup* group_of_resource(const ClusterQueue& queue, std::string_view resource) {
  const auto found = std::ranges::find_if(
      queue.groups, [&](const ResourceGroup& group) { return group.resources.contains(resource); });
  return found != queue.groups.end() ? &*found : nullptr;
}

// One pass over the pod sets. Kueue tries again from the next flavor on if a pod set after the first ones
// finds no room.
class FlavorPass {
 public:
  // By pod set and resource group.
  using Positions = std::map<std::pair<size_t, const ResourceGroup*>, size_t>;

  FlavorPass(const Capacity& capacity, const ClusterQueue& queue, const Positions& begin)
      : quota_(capacity.quota()), queue_(queue), capacity_(capacity), begin_(begin) {}

  Assignment result;
  // Where the next pass begins; empty if all flavors were tried.
  Positions next;

  bool run(const std::vector<QueuedPodSet>& sets) {
    for (size_t i = 0; i < sets.size(); ++i) {
      if (!place(sets[i], i)) return false;
    }
    return true;
  }

 private:
  struct Choice {
    std::string flavor;
    int height = 0;  // of the cohort that it borrows from
  };

  bool place(const QueuedPodSet& set, size_t index) {
    std::map<const ResourceGroup*, Choice> chosen;
    for (const auto& [resource, amount] : set.requests) {
      const ResourceGroup* group = group_of_resource(queue_, resource);
      if (!group) {
        obstacle(set, resource, "", fmt::format("ClusterQueue {} covers no {}", queue_.name, resource));
        return false;
      }
      if (chosen.contains(group)) continue;
      const std::optional<Choice> choice = choose(set, index, *group);
      if (!choice) return false;
      chosen[group] = *choice;
    }
    for (const auto& [resource, amount] : set.requests) {
      const Choice& choice = chosen[group_of_resource(queue_, resource)];
      Units& used = used_[{choice.flavor, resource}];
      used = added(used, amount);
      result.flavors.push_back({set.name, resource, units_text(resource, amount), choice.flavor,
                                capacity_.borrowing_height(queue_, {choice.flavor, resource}, used) > 0});
    }
    return true;
  }

  std::optional<Choice> choose(const QueuedPodSet& set, size_t index, const ResourceGroup& group) {
    const auto begin = begin_.find({index, &group});
    std::optional<Choice> best;
    size_t at = begin != begin_.end() ? begin->second : 0;
    size_t tried = at;
    for (; at < group.flavors.size(); ++at) {
      tried = at;
      const std::optional<Choice> choice = try_flavor(set, group, group.flavors[at]);
      if (!choice) continue;
      if (!best || choice->height < best->height) best = choice;
      if (choice->height == 0 || !queue_.tries_next_before_borrowing) break;
    }
    if (best && tried + 1 < group.flavors.size()) next[{index, &group}] = tried + 1;
    return best;
  }

  // nullopt if the flavor does not suit the pod set, which is recorded as an obstacle.
  std::optional<Choice> try_flavor(const QueuedPodSet& set, const ResourceGroup& group,
                                   const std::string& name) {
    const Flavor& flavor = quota_.flavors.find(name)->second;
    const std::string reason = mismatch(set, group, flavor);
    if (!reason.empty()) {
      obstacle(set, "", name, reason);
      return std::nullopt;
    }
    Choice choice{name, 0};
    bool fits = true;
    for (const auto& [resource, amount] : set.requests) {
      if (!group.resources.contains(resource)) continue;
      const FlavorResource of{name, resource};
      const Units wanted = added(used_[of], amount);
      const Units most = capacity_.most(queue_, of);
      if (wanted > most) {
        shortage(set, of, wanted, most);
        fits = false;
      }
      choice.height = std::max(choice.height, capacity_.borrowing_height(queue_, of, wanted));
    }
    return fits ? std::optional(choice) : std::nullopt;
  }

  bool is_topology_only() const {
    return std::ranges::all_of(queue_.groups, [&](const ResourceGroup& group) {
      return std::ranges::none_of(group.flavors, [&](const std::string& name) {
        return quota_.flavors.find(name)->second.topology.empty();
      });
    });
  }

  // "" if the flavor's nodes may run the pods.
  std::string mismatch(const QueuedPodSet& set, const ResourceGroup& group, const Flavor& flavor) const {
    if (set.wants_topology && flavor.topology.empty())
      return "its nodes have no topology, and the pods ask for one";
    if (!set.wants_topology && !flavor.topology.empty() && !is_topology_only())
      return "it is for pods that ask for a topology";
    const auto levels = quota_.topologies.find(flavor.topology);
    if (!set.topology_level.empty() && levels != quota_.topologies.end() &&
        std::ranges::find(levels->second, set.topology_level) == levels->second.end())
      return fmt::format("its Topology {} has no level {}", flavor.topology, set.topology_level);
    const std::string taint =
        untolerated_taint(flavor.taints, set.pod_spec->get("tolerations"), flavor.tolerations);
    if (!taint.empty()) return fmt::format("the pods don't tolerate its taint {}", taint);
    if (!accepts_node(*set.pod_spec, flavor.labels, label_keys(group)))
      return fmt::format("its node labels{} don't match the pods' nodeSelector or affinity",
                         labels_text(flavor.labels));
    return "";
  }

  // Only labels that some flavor of the group has count.
  std::set<std::string, std::less<>> label_keys(const ResourceGroup& group) const {
    std::set<std::string, std::less<>> keys;
    for (const std::string& name : group.flavors) {
      const Node* labels = quota_.flavors.find(name)->second.labels;
      if (!labels) continue;
      for (const yaml::Entry& entry : labels->entries()) keys.emplace(entry.key);
    }
    return keys;
  }

  static std::string labels_text(const Node* labels) {
    std::string text;
    if (!labels) return text;
    for (const yaml::Entry& entry : labels->entries())
      text += fmt::format("{}{}={}", text.empty() ? " " : ", ", entry.key, entry.value->text());
    return text;
  }

  void obstacle(const QueuedPodSet& set, std::string resource, std::string flavor, std::string reason) {
    result.obstacles.push_back({set.name, std::move(resource), std::move(flavor), "", "", std::move(reason)});
  }

  void shortage(const QueuedPodSet& set, const FlavorResource& of, Units wanted, Units most) {
    const std::string requested = units_text(of.resource, wanted);
    const bool is_shared = wanted != set.requests.find(of.resource)->second;
    const std::string limit = units_text(of.resource, most);
    result.obstacles.push_back(
        {set.name, of.resource, of.flavor, requested, limit,
         fmt::format("{} {}, and ClusterQueue {} can use at most {}", requested,
                     is_shared ? "are requested together with the pod sets before" : "are requested",
                     queue_.name, limit)});
  }

  const Quota& quota_;
  const ClusterQueue& queue_;
  const Capacity& capacity_;
  const Positions& begin_;
  std::map<FlavorResource, Units> used_;
};

// A pod set that takes two flavors can't be placed by one topology.
std::vector<Obstacle> split_topologies(const Quota& quota, const std::vector<AssignedFlavor>& flavors) {
  std::map<std::string, const AssignedFlavor*> first;
  for (const AssignedFlavor& flavor : flavors) {
    const auto [at, is_new] = first.try_emplace(flavor.pod_set, &flavor);
    if (is_new || at->second->flavor == flavor.flavor) continue;
    if (quota.flavors.find(flavor.flavor)->second.topology.empty()) continue;
    return {{flavor.pod_set, flavor.resource, flavor.flavor, "", "",
             fmt::format("its pods are placed by topology, and {} comes from flavor {}", at->second->resource,
                         at->second->flavor)}};
  }
  return {};
}

}  // namespace

Assignment assign_flavors(const Capacity& capacity, const ClusterQueue& queue,
                          std::vector<QueuedPodSet> sets) {
  if (group_of_resource(queue, kPods)) {
    for (QueuedPodSet& set : sets) set.requests[std::string(kPods)] = set.pods;
  }
  FlavorPass::Positions begin;
  std::vector<Obstacle> obstacles;  // of all passes, each once
  for (;;) {
    FlavorPass pass(capacity, queue, begin);
    if (pass.run(sets)) {
      pass.result.obstacles = split_topologies(capacity.quota(), pass.result.flavors);
      return std::move(pass.result);
    }
    for (Obstacle& obstacle : pass.result.obstacles) {
      const auto same = [&](const Obstacle& one) {
        return one.pod_set == obstacle.pod_set && one.flavor == obstacle.flavor &&
               one.reason == obstacle.reason;
      };
      if (std::ranges::none_of(obstacles, same)) obstacles.push_back(std::move(obstacle));
    }
    if (pass.next.empty()) return {{}, std::move(obstacles)};
    begin = std::move(pass.next);
  }
}

namespace {

// Source of the rules: k8s.io/apimachinery/pkg/labels, k8s.io/component-helpers/scheduling/corev1, and
// Kueue's flavorSelector.

using yaml::items_at;
using yaml::items_of;
using yaml::Node;
using yaml::text_at;

using Keys = std::set<std::string, std::less<>>;

const Node* label_of(const Node* labels, std::string_view key) {
  return labels ? labels->get(key) : nullptr;
}

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool compares(const Node& expression, std::string_view label, bool greater) {
  const auto values = items_at(expression, "values");
  const auto bound = values.empty() ? std::nullopt : whole_number(values.front()->text());
  const auto number = whole_number(label);
  return bound && number && (greater ? *number > *bound : *number < *bound);
}

bool matches_expression(const Node& expression, const Node* labels) {
  const std::string_view op = text_at(expression, "operator");
  const Node* label = label_of(labels, text_at(expression, "key"));
  if (op == "Exists") return label != nullptr;
  if (op == "DoesNotExist") return label == nullptr;
  const auto is_listed = [&] {
    return std::ranges::any_of(items_at(expression, "values"),
                               [&](const Node* value) { return value->text() == label->text(); });
  };
  if (op == "NotIn") return !label || !is_listed();
  if (!label) return false;
  if (op == "In") return is_listed();
  return compares(expression, label->text(), op == "Gt");
}

// Terms are alternatives; a term that is about no relevant key accepts every node.
bool accepts_terms(const Node& required, const Node* labels, const Keys& keys) {
  std::vector<std::vector<const Node*>> alternatives;
  for (const Node* term : items_at(required, "nodeSelectorTerms")) {
    std::vector<const Node*> relevant;
    for (const Node* expression : items_at(*term, "matchExpressions")) {
      if (keys.contains(text_at(*expression, "key"))) relevant.push_back(expression);
    }
    if (relevant.empty()) return true;
    alternatives.push_back(std::move(relevant));
  }
  return alternatives.empty() || std::ranges::any_of(alternatives, [&](const auto& expressions) {
           return std::ranges::all_of(
               expressions, [&](const Node* expression) { return matches_expression(*expression, labels); });
         });
}

bool tolerates(const Node& toleration, const Node& taint) {
  const std::string_view effect = text_at(toleration, "effect");
  if (!effect.empty() && effect != text_at(taint, "effect")) return false;
  const std::string_view key = text_at(toleration, "key");
  if (!key.empty() && key != text_at(taint, "key")) return false;
  const std::string_view op = text_at(toleration, "operator");
  if (op == "Exists") return true;
  return (op.empty() || op == "Equal") && text_at(toleration, "value") == text_at(taint, "value");
}

}  // namespace

bool matches_selector(const Node& selector, const Node* labels) {
  if (const Node* wanted = selector.get("matchLabels")) {
    for (const yaml::Entry& entry : wanted->entries()) {
      const Node* label = label_of(labels, entry.key);
      if (!label || label->text() != entry.value->text()) return false;
    }
  }
  return std::ranges::all_of(items_at(selector, "matchExpressions"),
                             [&](const Node* expression) { return matches_expression(*expression, labels); });
}

Keys keys_of_selector(const Node& selector) {
  Keys keys;
  if (const Node* wanted = selector.get("matchLabels")) {
    for (const yaml::Entry& entry : wanted->entries()) keys.emplace(entry.key);
  }
  for (const Node* expression : items_at(selector, "matchExpressions"))
    keys.emplace(text_at(*expression, "key"));
  return keys;
}

bool accepts_node(const Node& pod_spec, const Node* labels, const Keys& keys) {
  if (const Node* selector = pod_spec.get("nodeSelector")) {
    for (const yaml::Entry& entry : selector->entries()) {
      if (!keys.contains(entry.key)) continue;
      const Node* label = label_of(labels, entry.key);
      if (!label || label->text() != entry.value->text()) return false;
    }
  }
  const Node* required =
      pod_spec.at({"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"});
  return !required || accepts_terms(*required, labels, keys);
}

std::string untolerated_taint(const Node* taints, const Node* tolerations_of_pod,
                              const Node* tolerations_of_flavor) {
  for (const Node* taint : items_of(taints)) {
    const std::string_view effect = text_at(*taint, "effect");
    if (effect != "NoSchedule" && effect != "NoExecute") continue;
    const auto covers = [&](const Node* toleration) { return tolerates(*toleration, *taint); };
    if (std::ranges::any_of(items_of(tolerations_of_pod), covers) ||
        std::ranges::any_of(items_of(tolerations_of_flavor), covers))
      continue;
    const std::string_view value = text_at(*taint, "value");
    return fmt::format("{}{}{}:{}", text_at(*taint, "key"), value.empty() ? "" : "=", value, effect);
  }
  return "";
}

namespace {

// Source of the rules: Kueue 0.15, pkg/scheduler (nominate), pkg/cache (inactive queues),
// pkg/controller/jobframework.

constexpr std::string_view kDefaultQueue = "default";  // of jobs without a label, if a namespace has one
constexpr std::string_view kNamespaceName = "kubernetes.io/metadata.name";
constexpr size_t kMostPodSets = 8;  // of a Workload

class Admitter {
 public:
  Admitter(const Capacity& capacity, const QueuedJob& job)
      : capacity_(capacity), quota_(capacity.quota()), job_(job) {}

  Admission run() {
    find_local_queue();
    if (admission_.local_queue.empty()) return admission_;
    admission_.verdict = Verdict::Never;
    const ClusterQueue* queue = find_cluster_queue();
    if (queue && is_active(*queue) && takes_namespace(*queue)) assign(*queue);
    return admission_;
  }

 private:
  void never(std::string reason) { admission_.obstacles.push_back({"", "", "", "", "", std::move(reason)}); }

  void find_local_queue() {
    for (const Node* root : {&job_.train_job, &job_.job_set}) {
      const std::string_view label = yaml::value_at(*root, {"metadata", "labels", model::kKueueLabel});
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
    for (const ResourceGroup& group : queue.groups) {
      for (const std::string& flavor : group.flavors) {
        if (!quota_.flavors.contains(flavor))
          never(fmt::format("ClusterQueue {} refers to ResourceFlavor {}, which does not exist", queue.name,
                            flavor));
      }
    }
    const std::vector<std::string> cycle = capacity_.cycle_from(queue.cohort);
    if (!cycle.empty())
      never(fmt::format("the Cohorts {} are parents of each other", fmt::join(cycle, ", ")));
    if (!queue.admission_checks.empty()) {
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
    const Node* labels = known != quota_.namespaces.end() ? known->second : nullptr;
    labels = make.with(labels, kNamespaceName, make.string(job_.ns));
    if (matches_selector(*queue.namespace_selector, labels)) return true;
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
    std::vector<QueuedPodSet> sets = queued_pod_sets(job_.job_set);
    if (sets.size() > kMostPodSets) {
      never(fmt::format("it has {} replicatedJobs, and a Workload at most {} pod sets", sets.size(),
                        kMostPodSets));
      return;
    }
    Assignment assignment = assign_flavors(capacity_, queue, std::move(sets));
    admission_.obstacles = std::move(assignment.obstacles);
    if (!admission_.obstacles.empty()) return;
    admission_.verdict = Verdict::Admitted;
    admission_.flavors = std::move(assignment.flavors);
    add_topologies();
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
