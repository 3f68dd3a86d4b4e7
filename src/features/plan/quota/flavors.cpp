// SPDX-License-Identifier: Apache-2.0

#include "features/plan/quota/flavors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/text/text.h"
#include "features/objects/pods.h"
#include "k8s/jobset/jobset.h"

namespace trainjobc::plan {
namespace {

using yaml::Node;

using Keys = std::set<std::string, std::less<>>;

constexpr std::string_view kPods = "pods";
constexpr size_t kMostPasses = 4096;

const ResourceGroup* group_of_resource(const ClusterQueue& queue, std::string_view resource) {
  const auto found = std::ranges::find_if(
      queue.groups, [&](const ResourceGroup& group) { return group.resources.contains(resource); });
  return found != queue.groups.end() ? &*found : nullptr;
}

// Annotations of a pod template that request placement by topology; the first ones name a level.
constexpr std::array<std::string_view, 5> kTopologyAnnotations{
    "kueue.x-k8s.io/podset-required-topology", "kueue.x-k8s.io/podset-preferred-topology",
    "kueue.x-k8s.io/podset-slice-required-topology", "kueue.x-k8s.io/podset-unconstrained-topology",
    "kueue.x-k8s.io/podset-slice-size"};
constexpr size_t kWithLevel = 3;

struct WantedTopology {
  bool is_wanted = false;
  std::string_view level;  // label of the named level; "" if none is named
};

WantedTopology wanted_topology(const Node& job_spec) {
  WantedTopology wanted;
  for (size_t i = 0; i < kTopologyAnnotations.size(); ++i) {
    const Node* value = job_spec.at({"template", "metadata", "annotations", kTopologyAnnotations[i]});
    if (!value) continue;
    wanted.is_wanted = true;
    if (i < kWithLevel && wanted.level.empty()) wanted.level = value->text();
  }
  return wanted;
}

// Finds out whether the nodes of a queue's flavors can run pods.
class Suitability {
 public:
  Suitability(const Quota& quota, const ClusterQueue& queue) : quota_(quota), queue_(queue) {
    for (const ResourceGroup& group : queue.groups) {
      Keys& keys = keys_.emplace_back();
      for (const std::string& name : group.flavors) {
        const Flavor& flavor = quota.flavors.find(name)->second;
        if (flavor.topology.empty()) is_topology_only_ = false;
        keys.merge(keys_of(flavor));
      }
    }
  }

  void add_unsuited(const Node& job_spec, const Node& pod_spec, QueuedPodSet& set) const {
    const WantedTopology wanted = wanted_topology(job_spec);
    for (size_t i = 0; i < queue_.groups.size(); ++i) {
      for (const std::string& name : queue_.groups[i].flavors) {
        const Flavor& flavor = quota_.flavors.find(name)->second;
        std::string reason = mismatch(wanted, flavor);
        if (reason.empty())
          reason = mismatch(pod_spec, flavor, quota_.kueue.own_labels_only ? keys_of(flavor) : keys_[i]);
        if (!reason.empty()) set.unsuited.emplace(name, std::move(reason));
      }
    }
  }

 private:
  static Keys keys_of(const Flavor& flavor) {
    Keys keys;
    for (const yaml::Entry& entry : flavor.labels ? flavor.labels->entries() : std::span<const yaml::Entry>())
      keys.emplace(entry.key);
    return keys;
  }

  std::string mismatch(const WantedTopology& wanted, const Flavor& flavor) const {
    if (wanted.is_wanted && flavor.topology.empty())
      return "its nodes have no topology, and the pods ask for one";
    if (!wanted.is_wanted && !flavor.topology.empty() && !is_topology_only_)
      return "it is for pods that ask for a topology";
    const auto levels = quota_.topologies.find(flavor.topology);
    if (!wanted.level.empty() && levels != quota_.topologies.end() &&
        !base::contains(levels->second, wanted.level))
      return fmt::format("its Topology {} has no level {}", flavor.topology, wanted.level);
    return "";
  }

  // Why a flavor's nodes don't suit the pods; "" if they do. Only labels with these keys count.
  static std::string mismatch(const Node& pod_spec, const Flavor& flavor, const Keys& keys) {
    const std::string taint =
        untolerated_taint(flavor.taints, pod_spec.get("tolerations"), flavor.tolerations);
    if (!taint.empty()) return fmt::format("the pods don't tolerate its taint {}", taint);
    if (accepts_node(pod_spec, flavor.labels, keys)) return "";
    return fmt::format("its node labels{} don't match the pods' nodeSelector or affinity",
                       labels_text(flavor.labels));
  }

  static std::string labels_text(const Node* labels) {
    std::string text;
    if (!labels) return text;
    for (const yaml::Entry& entry : labels->entries())
      text += fmt::format("{}{}={}", text.empty() ? " " : ", ", entry.key, entry.value->text());
    return text;
  }

  const Quota& quota_;
  const ClusterQueue& queue_;
  std::vector<Keys> keys_;  // of the labels, by resource group
  bool is_topology_only_ = true;
};

}  // namespace

std::vector<QueuedPodSet> queued_pod_sets(const Quota& quota, const ClusterQueue& queue,
                                          const Node& job_set) {
  const Suitability suitability(quota, queue);
  const auto limits =
      quota.kueue.counts_pod_limits ? objects::PodLimits::AreRequests : objects::PodLimits::DontCount;
  std::vector<QueuedPodSet> sets;
  for (const k8s::jobset::ReplicatedJob& job : k8s::jobset::view_job_set(job_set).jobs) {
    if (!job.pod_spec) continue;
    QueuedPodSet set;
    set.name = job.name;
    set.pods = job.replicas * k8s::jobset::pods_per_job(job);
    for (const auto& [resource, quantity] : objects::requests_of_pod(*job.pod_spec, limits))
      set.requests[resource] = multiplied(to_units(resource, quantity), set.pods);
    const auto is_idle = [&](const auto& one) {
      return one.second == 0 && !group_of_resource(queue, one.first);
    };
    if (quota.kueue.skips_zero) std::erase_if(set.requests, is_idle);
    if (group_of_resource(queue, kPods)) set.requests[std::string(kPods)] = set.pods;
    suitability.add_unsuited(*job.job_spec, *job.pod_spec, set);
    sets.push_back(std::move(set));
  }
  return sets;
}

namespace {

// Whether `a` is better than `b`.
bool is_better(const Need& a, const Need& b, const ClusterQueue& queue) {
  if (a.fit == Fit::Never) return false;
  if (b.fit == Fit::Never) return true;
  if (queue.prefers_near_quota) return a.height != b.height ? a.height < b.height : a.fit > b.fit;
  return a.fit != b.fit ? a.fit > b.fit : a.height < b.height;
}

bool tries_next(const Need& need, const ClusterQueue& queue) {
  if (need.fit <= Fit::Waits) return true;
  if (need.fit < Fit::Now && queue.tries_next_before_preempting) return true;
  return need.height > 0 && queue.tries_next_before_borrowing;
}

std::string_view are(std::string_view amount) {
  return amount == "1" ? "is" : "are";
}

class FlavorPass {
 public:
  FlavorPass(const Search& search, const Positions& begin)
      : search_(search), queue_(search.queue), begin_(begin) {}

  Assignment result;

  void run() {
    result.fit = Fit::Now;
    for (size_t i = 0; i < search_.sets.size(); ++i) {
      if (place(i)) continue;
      result.fit = Fit::Never;
      return;
    }
  }

 private:
  // A flavor for the resources of a resource group.
  struct Choice {
    const std::string* flavor = nullptr;
    Need need;                // the worst of `needs`
    std::vector<Need> needs;  // one per resource
  };

  bool place(size_t index) {
    const QueuedPodSet& set = search_.sets[index];
    std::vector<Placed> placed;
    Positions next;
    std::set<const ResourceGroup*> seen;
    for (const auto& [resource, amount] : set.requests) {
      const ResourceGroup* group = group_of_resource(queue_, resource);
      if (!group) {
        obstacle(set, resource, "", fmt::format("ClusterQueue {} covers no {}", queue_.name, resource));
        return false;
      }
      if (group->flavors.empty()) {
        obstacle(set, resource, "",
                 fmt::format("ClusterQueue {} has no flavor for {}", queue_.name, resource));
        return false;
      }
      if (!seen.insert(group).second) continue;
      const Choice choice = choose(index, *group, next);
      if (!choice.flavor) return false;
      size_t at = 0;
      for (const auto& [covered, wanted] : set.requests) {
        if (group->resources.contains(covered))
          placed.push_back({index, covered, *choice.flavor, wanted, choice.needs[at++]});
      }
    }
    result.next.merge(next);
    std::ranges::sort(placed, {}, &Placed::resource);
    for (Placed& one : placed) take(std::move(one));
    return true;
  }

  void take(Placed one) {
    result.fit = std::min(result.fit, one.need.fit);
    result.height = std::max(result.height, one.need.height);
    Units& amount = result.amounts[{std::string(one.flavor), std::string(one.resource)}];
    amount = added(amount, one.amount);
    result.placed.push_back(std::move(one));
  }

  Choice choose(size_t index, const ResourceGroup& group, Positions& next) {
    Choice best;
    size_t at = base::value_or(begin_, std::pair(index, &group));
    size_t tried = at;
    for (; at < group.flavors.size(); ++at) {
      tried = at;
      Choice choice = try_flavor(search_.sets[index], group, group.flavors[at]);
      const bool goes_on = tries_next(choice.need, queue_);
      if (!goes_on || is_better(choice.need, best.need, queue_)) best = std::move(choice);
      if (!goes_on) break;
    }
    if (best.flavor && tried + 1 < group.flavors.size()) next[{index, &group}] = tried + 1;
    return best;
  }

  Choice try_flavor(const QueuedPodSet& set, const ResourceGroup& group, const std::string& name) {
    const auto unsuited = set.unsuited.find(name);
    if (unsuited != set.unsuited.end()) {
      obstacle(set, "", name, unsuited->second);
      return {};
    }
    Choice choice{&name, {Fit::Now, 0}, {}};
    for (const auto& [resource, amount] : set.requests) {
      if (!group.resources.contains(resource)) continue;
      const Need need = need_of(set, {name, resource}, amount);
      choice.needs.push_back(need);
      if (is_better(choice.need, need, queue_)) choice.need = need;
    }
    if (choice.need.fit == Fit::Never) return {};
    return choice;
  }

  Need need_of(const QueuedPodSet& set, const FlavorResource& of, Units amount) {
    const Units wanted = added(base::value_or(result.amounts, of), amount);
    const Units most = search_.usage.capacity().most(queue_, of);
    if (wanted > most) {
      shortage(set, of, wanted, amount, most);
      return {};
    }
    const Units available = search_.usage.available(queue_, of);
    const Usage::Reach reach = search_.usage.reach(queue_, of, wanted);
    if (wanted <= available) return {Fit::Now, reach.height};
    shortage(set, of, wanted, amount, most, &available);
    const auto own = queue_.quotas.find(of);
    const bool is_own = own != queue_.quotas.end() && wanted <= own->second.nominal;
    if (!is_own && !reach.is_below && !queue_.preemption.while_borrowing) return {};
    return search_.displacing ? search_.displacing->need(of, wanted) : Need{Fit::Waits, reach.height};
  }

  void obstacle(const QueuedPodSet& set, std::string resource, std::string flavor, std::string reason) {
    if (!search_.obstacles) return;
    search_.obstacles->add({set.name, std::move(resource), std::move(flavor), "", "", std::move(reason), ""});
  }

  // `available` is nullptr if the amount exceeds what can ever be available.
  void shortage(const QueuedPodSet& set, const FlavorResource& of, Units wanted, Units own, Units most,
                const Units* available = nullptr) {
    if (!search_.obstacles) return;
    const std::string requested = units_text(of.resource, wanted);
    const std::string limit = units_text(of.resource, most);
    const std::string unused = available ? units_text(of.resource, *available) : "";
    std::string reason = fmt::format("{} {} requested{}, and ", requested, are(requested),
                                     wanted != own ? " together with the pod sets before" : "");
    if (available) {
      reason += fmt::format("{} of the {} that ClusterQueue {} can use {} unused", unused, limit, queue_.name,
                            are(unused));
    } else {
      reason += fmt::format("ClusterQueue {} can use at most {}", queue_.name, limit);
    }
    search_.obstacles->add({set.name, of.resource, of.flavor, requested, limit, std::move(reason), unused});
  }

  const Search& search_;
  const ClusterQueue& queue_;
  const Positions& begin_;
};

}  // namespace

Assignment assign_flavors(const Search& search, const Positions& begin) {
  FlavorPass pass(search, begin);
  pass.run();
  return std::move(pass.result);
}

Assignment assign_flavors(const Search& search) {
  Positions begin;
  for (size_t pass = 1;; ++pass) {
    Assignment assignment = assign_flavors(search, begin);
    if (assignment.fit == Fit::Now || assignment.next.empty() || pass == kMostPasses) return assignment;
    begin = std::move(assignment.next);
  }
}

std::vector<AssignedFlavor> assigned_flavors(const Assignment& assignment,
                                             const std::vector<QueuedPodSet>& sets) {
  std::vector<AssignedFlavor> flavors;
  for (const Placed& one : assignment.placed) {
    const std::string resource(one.resource);
    flavors.push_back({sets[one.pod_set].name, resource, units_text(resource, one.amount),
                       std::string(one.flavor), one.need.height > 0});
  }
  return flavors;
}

namespace {

// Source of the rules: k8s.io/apimachinery/pkg/labels, k8s.io/component-helpers/scheduling/corev1, and
// Kueue's flavorSelector.

using yaml::items_at;
using yaml::items_of;
using yaml::text_at;

const Node* label_of(const Node* labels, std::string_view key) {
  return labels ? labels->get(key) : nullptr;
}

bool compares(const Node& expression, std::string_view label, bool greater) {
  const auto values = items_at(expression, "values");
  const auto number = base::read_integer(label);
  if (values.empty() || !number) return false;
  const auto bound = base::read_integer(values.front()->text());
  return bound && (greater ? *number > *bound : *number < *bound);
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

// Terms are alternatives; one without relevant keys accepts every node.
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

}  // namespace trainjobc::plan
