// SPDX-License-Identifier: Apache-2.0

#include "platform/quota.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "base/text/text.h"
#include "k8s/jobset/jobset.h"
#include "k8s/violations.h"
#include "rules/rules.h"

namespace trainjobc::platform {
namespace {

using k8s::Quantity;
using yaml::Entry;
using yaml::Node;

constexpr std::string_view kQuotaRule = "job/quota";

// The resources of which a container must say how much it takes if a quota counts them.
struct Mandatory {
  std::string_view counted;   // in the quota
  std::string_view list;      // of a container's resources
  std::string_view resource;  // in that
};
constexpr auto kMandatory = std::to_array<Mandatory>({
    {"cpu", "requests", "cpu"},
    {"memory", "requests", "memory"},
    {"requests.cpu", "requests", "cpu"},
    {"requests.memory", "requests", "memory"},
    {"limits.cpu", "limits", "cpu"},
    {"limits.memory", "limits", "memory"},
});

// Whether a resource can be counted under its own name, as well as with a prefix.
bool is_native(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || resource == "ephemeral-storage" ||
         resource.starts_with("hugepages-");
}

// Of what a quota counts, where a container says it.
Mandatory parts_of(std::string_view counted) {
  for (const std::string_view list : {"requests", "limits"}) {
    if (counted.starts_with(list) && counted.size() > list.size() && counted[list.size()] == '.')
      return {counted, list, counted.substr(list.size() + 1)};
  }
  return {counted, "requests", counted};
}

// Whether pods are what uses it; others are claims, Services and other objects.
bool is_of_pods(std::string_view counted) {
  const std::string_view resource = parts_of(counted).resource;
  return resource != "storage" && (resource != counted || is_native(counted) || counted == "pods");
}

// Whether the pod as a whole says what it takes: then its containers need not.
bool has_pod_resources(const Node& spec) {
  for (const std::string_view list : {"requests", "limits"}) {
    const Node* amounts = spec.at({"resources", list});
    if (amounts && std::ranges::any_of(amounts->entries(), [](const Entry& entry) {
          return entry.key == "cpu" || entry.key == "memory" || entry.key.starts_with("hugepages-");
        }))
      return true;
  }
  return false;
}

bool is_best_effort(const Node& spec) {
  if (has_pod_resources(spec)) return false;
  for (const std::string_view key : {"containers", "initContainers"}) {
    for (const Node* container : yaml::items_at(spec, key)) {
      for (const std::string_view list : {"requests", "limits"}) {
        for (const std::string_view resource : {"cpu", "memory"}) {
          const auto amount = amount_of(container->at({"resources", list, resource}));
          if (amount && amount->sign() > 0) return false;
        }
      }
    }
  }
  return true;
}

bool has_foreign_affinity(const Node& spec) {
  for (const std::string_view affinity : {"podAffinity", "podAntiAffinity"}) {
    for (const Node* term :
         yaml::items_at(spec, {"affinity", affinity, "requiredDuringSchedulingIgnoredDuringExecution"})) {
      if (!yaml::items_at(*term, "namespaces").empty() || term->get("namespaceSelector")) return true;
    }
    for (const Node* weighted :
         yaml::items_at(spec, {"affinity", affinity, "preferredDuringSchedulingIgnoredDuringExecution"})) {
      const Node* term = weighted->get("podAffinityTerm");
      if (term && (!yaml::items_at(*term, "namespaces").empty() || term->get("namespaceSelector")))
        return true;
    }
  }
  return false;
}

// The replicatedJobs that another one waits for until they are complete: their pods run before the others.
std::set<std::string_view> run_before(const Node& job_set) {
  std::set<std::string_view> names;
  for (const Node* job : yaml::items_at(job_set, {"spec", "replicatedJobs"})) {
    for (const Node* dependency : yaml::items_at(*job, "dependsOn")) {
      if (yaml::text_at(*dependency, "status") == "Complete")
        names.insert(yaml::text_at(*dependency, "name"));
    }
  }
  return names;
}

template <class Usage>
void add_to(Usage& sum, const Usage& more) {
  for (const auto& [name, amount] : more) {
    const auto [at, is_new] = sum.try_emplace(name, amount);
    if (!is_new) at->second.add(amount);
  }
}

// Of jobs that have one name, the first one counts, whichever thread comes first.
bool is_before(const base::Location& one, const base::Location& other) {
  const auto key_of = [](const base::Location& at) {
    return std::tuple(at.file ? at.file->name() : std::string(), at.line, at.column);
  };
  return key_of(one) < key_of(other);
}

// The name of a resource that counts all objects of a kind: count/jobs.batch.
std::string object_count(const KindFacts& kind) {
  return kind.group.empty() ? fmt::format("count/{}", kind.resource)
                            : fmt::format("count/{}.{}", kind.resource, kind.group);
}

}  // namespace

std::string Quota::name() const {
  return fmt::format("the ResourceQuota \"{}\"", yaml::text_at(root_, {"metadata", "name"}));
}

bool Quota::matches_scope(const Subject& pod, std::string_view scope, std::string_view op,
                          const Node* values) const {
  const Node& spec = *pod.root->get("spec");
  if (scope == "Terminating") return spec.get("activeDeadlineSeconds") != nullptr;
  if (scope == "NotTerminating") return spec.get("activeDeadlineSeconds") == nullptr;
  if (scope == "BestEffort") return is_best_effort(spec);
  if (scope == "NotBestEffort") return !is_best_effort(spec);
  if (scope == "CrossNamespacePodAffinity") return has_foreign_affinity(spec);
  if (scope != "PriorityClass") return false;
  const std::string_view priority = yaml::text_at(spec, "priorityClassName");
  if (op.empty() || op == "Exists") return !priority.empty();
  if (op == "DoesNotExist") return priority.empty();
  const bool is_listed = std::ranges::any_of(yaml::items_of(values), [&](const Node* value) {
    return !priority.empty() && value->text() == priority;
  });
  return is_listed == (op == "In");
}

bool Quota::matches(const Subject& pod) const {
  for (const Node* scope : yaml::items_at(root_, {"spec", "scopes"})) {
    if (!matches_scope(pod, scope->text(), "", nullptr)) return false;
  }
  for (const Node* selector : yaml::items_at(root_, {"spec", "scopeSelector", "matchExpressions"})) {
    if (!matches_scope(pod, yaml::text_at(*selector, "scopeName"), yaml::text_at(*selector, "operator"),
                       selector->get("values")))
      return false;
  }
  return true;
}

// Of all pods like this one.
Quota::Usage Quota::usage_of(const Subject& pod) const {
  const Node& spec = *pod.root->get("spec");
  Usage usage;
  const auto add = [&](std::string name, Quantity amount) {
    amount.multiply(pod.count);
    usage.insert_or_assign(std::move(name), amount);
  };
  for (const auto& [resource, amount] : policy::pod_requests(spec)) {
    if (is_native(resource)) add(std::string(resource), amount);
    add(fmt::format("requests.{}", resource), amount);
  }
  for (const auto& [resource, amount] : pod_limits(spec)) {
    if (resource == "cpu" || resource == "memory" || resource == "ephemeral-storage")
      add(fmt::format("limits.{}", resource), amount);
  }
  add("pods", Quantity::from_int(1));
  return usage;
}

void Quota::check_mandatory(const Subject& pod, const std::string& owner, base::Diagnostics& found) const {
  const Node& spec = *pod.root->get("spec");
  const Node* hard = root_.at({"spec", "hard"});
  if (has_pod_resources(spec)) return;
  for (const std::string_view key : {"initContainers", "containers"}) {
    for (const Node* container : yaml::items_at(spec, key)) {
      for (const Mandatory& one : kMandatory) {
        const Node* counted = hard->get(one.counted);
        // "cpu" and "requests.cpu" ask for the same.
        const bool is_twice =
            one.counted == one.resource && hard->get(fmt::format("requests.{}", one.resource));
        if (!counted || is_twice || container->at({"resources", one.list, one.resource})) continue;
        base::Diagnostic finding = pod_finding(
            kQuotaRule, pod, owner,
            fmt::format("{} counts {}, so each container needs a {} {}: \"{}\" has none", name(), one.counted,
                        one.resource, one.list == "requests" ? "request" : "limit",
                        yaml::text_at(*container, "name")),
            container->get("name"), fmt::format("add resources: {{{}: {{{}: …}}}}", one.list, one.resource));
        k8s::add_note(finding, "the quota", counted);
        found.add(std::move(finding));
      }
    }
  }
}

void Quota::add_counts(const std::vector<Subject>& subjects, Usage& usage) const {
  for (const Subject& subject : subjects) {
    Usage one;
    one.emplace(object_count(*subject.kind), Quantity::from_int(subject.count));
    add_to(usage, one);
  }
}

void Quota::exceeds(const std::vector<Subject>& subjects, const CompiledJob& job, const Usage& usage,
                    base::Diagnostics& found) const {
  for (const Entry& entry : root_.at({"spec", "hard"})->entries()) {
    const auto used = usage.find(entry.key);
    const auto hard = amount_of(entry.value);
    if (used == usage.end() || !hard || used->second.compare(*hard) <= 0) continue;
    const Mandatory parts = parts_of(entry.key);
    const Subject* pod = nullptr;
    const Node* culprit = nullptr;
    for (const Subject& subject : subjects) {
      if (subject.kind->kind != "Pod") continue;
      const Node* amount = find_amount(*subject.root->get("spec"), parts.list, parts.resource);
      if (!pod || (amount && (!culprit || subject.trains))) {
        pod = &subject;
        culprit = amount;
      }
    }
    if (!pod) return;
    if (!culprit) culprit = job.train_job->at({"spec", "trainer", "numNodes"});
    base::Diagnostic finding =
        pod_finding(kQuotaRule, *pod, job.object,
                    fmt::format("the job takes {}: {}; {} of the namespace \"{}\" allows {}", entry.key,
                                used->second.to_string(), name(), pod->ns, hard->to_string()),
                    culprit, "its last pods are refused, and the others wait for them");
    k8s::add_note(finding, "the quota", entry.value);
    found.add(std::move(finding));
  }
}

Quota::Pods Quota::pods_of(const std::vector<Subject>& subjects, const CompiledJob& job) const {
  const std::set<std::string_view> before = run_before(*job.job_set);
  const k8s::jobset::JobSetView view = k8s::jobset::view_job_set(*job.job_set);
  Pods pods;
  for (const Subject& subject : subjects) {
    if (subject.kind->kind != "Pod" || !matches(subject)) continue;
    const bool runs_before = std::ranges::any_of(view.jobs, [&](const k8s::jobset::ReplicatedJob& one) {
      return subject.field.starts_with(one.field + ".") && before.contains(one.name);
    });
    (runs_before ? pods.before : pods.at_once).push_back(subject);
  }
  return pods;
}

Quota::Usage Quota::usage_at_once(const Pods& pods, const std::vector<Subject>& subjects) const {
  Usage usage;
  for (const Subject& pod : pods.at_once) add_to(usage, usage_of(pod));
  const bool has_scopes = root_.at({"spec", "scopes"}) || root_.at({"spec", "scopeSelector"});
  if (!has_scopes) add_counts(subjects, usage);
  return usage;
}

void Quota::check(const std::vector<Subject>& subjects, const CompiledJob& job, base::Diagnostics& found) {
  const Node* hard = root_.at({"spec", "hard"});
  if (!hard || !job.job_set) return;
  const Pods pods = pods_of(subjects, job);
  base::Diagnostics own;
  for (const std::vector<Subject>* list : {&pods.before, &pods.at_once}) {
    for (const Subject& pod : *list) check_mandatory(pod, job.object, own);
  }
  for (const Subject& pod : pods.before) exceeds({pod}, job, usage_of(pod), own);
  Usage at_once = usage_at_once(pods, subjects);
  exceeds(pods.at_once.empty() ? subjects : pods.at_once, job, at_once, own);
  if (own.empty()) {
    const base::Location place = place_of_object(*job.train_job);
    const std::lock_guard lock(mutex_);
    const auto [known, is_new] = jobs_.try_emplace(job.object, at_once, place);
    if (!is_new && !is_before(known->second.second, place)) known->second = {std::move(at_once), place};
  }
  found.append(std::move(own));
}

QuotaUse Quota::use_of(const std::vector<Subject>& subjects, const CompiledJob& job) const {
  const Pods pods = pods_of(subjects, job);
  Usage usage = usage_at_once(pods, subjects);
  // Pods that run before the others count if they need more.
  for (const Subject& pod : pods.before) {
    for (const auto& [name, amount] : usage_of(pod)) {
      const auto [at, is_new] = usage.try_emplace(name, amount);
      if (!is_new && amount.compare(at->second) > 0) at->second = amount;
    }
  }
  QuotaUse use{.ns = subjects.front().ns, .name = std::string(yaml::text_at(root_, {"metadata", "name"}))};
  if (const Node* hard = root_.at({"spec", "hard"})) {
    for (const Entry& entry : hard->entries()) {
      const auto most = amount_of(entry.value);
      if (!most) continue;
      const auto used = usage.find(entry.key);
      std::optional<Quantity> amount;
      if (used != usage.end()) {
        amount = used->second;
      } else if (is_of_pods(entry.key)) {
        amount = Quantity();
      }
      use.resources.push_back({std::string(entry.key), *most, amount});
    }
  }
  return use;
}

base::Diagnostics Quota::together() const {
  base::Diagnostics found;
  const std::lock_guard lock(mutex_);
  const Node* hard = root_.at({"spec", "hard"});
  if (!hard || jobs_.size() < 2) return found;
  Usage all;
  for (const auto& [job, usage] : jobs_) add_to(all, usage.first);
  for (const Entry& entry : hard->entries()) {
    const auto used = all.find(entry.key);
    const auto most = amount_of(entry.value);
    if (used == all.end() || !most || used->second.compare(*most) <= 0) continue;
    base::Diagnostic finding = rules::finding(
        "advice/quota-together",
        fmt::format("{} jobs of the namespace take {}: {} together; {} allows {}", jobs_.size(), entry.key,
                    used->second.to_string(), name(), most->to_string()),
        "they can't all run at the same time", yaml::locate(*entry.value));
    finding.object = fmt::format("ResourceQuota/{}/{}", yaml::text_at(root_, {"metadata", "namespace"}),
                                 yaml::text_at(root_, {"metadata", "name"}));
    finding.field = fmt::format("spec.hard[{}]", entry.key);
    for (const auto& [job, usage] : jobs_) {
      const auto own = usage.first.find(entry.key);
      if (own != usage.first.end())
        finding.notes.push_back({fmt::format("{} takes {}", job, own->second.to_string()), usage.second});
    }
    found.add(std::move(finding));
  }
  return found;
}

}  // namespace trainjobc::platform
