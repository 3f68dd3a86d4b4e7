// SPDX-License-Identifier: Apache-2.0

#include "features/plan/quota/admit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "base/text/suggest.h"
#include "features/plan/quota/assign.h"
#include "model/trainer_names.h"
#include "yaml/fields.h"

namespace trainjobc::plan {
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
  Admitter(const Quota& quota, const QueuedJob& job) : quota_(quota), job_(job) {}

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
    const std::vector<std::string> cycle = Capacity(quota_).cycle_from(queue.cohort);
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
    Assignment assignment = assign_flavors(quota_, queue, std::move(sets));
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

Admission admit(const Quota& quota, const QueuedJob& job) {
  return Admitter(quota, job).run();
}

}  // namespace trainjobc::plan
