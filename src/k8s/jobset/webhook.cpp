// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "base/text/suggest.h"
#include "base/text/text.h"
#include "k8s/jobset/jobset.h"
#include "k8s/name_syntax.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::k8s::jobset {

namespace {

using yaml::Node;

// Names

// Whether the text has the characters of a DNS-1035 label, of any length: lower case letters, digits, dashes;
// the first is a letter, the last is not a dash.
bool has_label_form(std::string_view text) {
  return is_dns_label(text) && base::is_lower(text.front());
}

// `name` is the node whose text is the label.
void suggest_label(base::Diagnostic& diagnostic, const Node* name, std::string_view wrong,
                   bool letter_first) {
  const std::string label = suggest_dns_name(wrong, false, letter_first);
  const bool is_better = !label.empty() && label != wrong;
  diagnostic.hint = fmt::format("use lower-case letters, digits and dashes{}{}",
                                letter_first ? ", beginning with a letter" : "",
                                is_better ? fmt::format(": \"{}\"", label) : "");
  if (is_better && name) base::suggest_fix(diagnostic, yaml::replace_text(*name, label));
}

void check_length(std::string_view rule, std::string field, std::string_view what, const Node& node,
                  k8s::Violations& out) {
  if (node.size() <= kMaxLabel) return;
  add(out, rule, std::move(field),
      fmt::format("the {} has {} characters, at most {} are allowed", what, node.size(), kMaxLabel), &node,
      shorten_hint("it", node.size() - kMaxLabel));
}

void check_subdomain(const JobSetView& job_set, k8s::Violations& out) {
  const Node* subdomain = job_set.spec->at({"network", "subdomain"});
  if (!subdomain || subdomain->size() == 0) return;
  const std::string_view text = subdomain->text();
  if (!has_label_form(text)) {
    base::Diagnostic& found =
        add(out, "jobset/subdomain", "spec.network.subdomain",
            fmt::format("the subdomain \"{}\" must be a DNS label, as it also names the pods' Service", text),
            subdomain);
    suggest_label(found, subdomain, text, true);
  }
  check_length("jobset/subdomain", "spec.network.subdomain", "subdomain", *subdomain, out);
}

void check_manager(const JobSetView& job_set, k8s::Violations& out) {
  const Node* manager = job_set.spec->get("managedBy");
  if (!manager) return;
  if (!k8s::is_domain_prefixed_path(manager->text())) {
    add(out, "jobset/managed-by", "spec.managedBy",
        fmt::format("the manager \"{}\" must be a domain-prefixed path", manager->text()), manager,
        "such as \"kueue.x-k8s.io/multikueue\"");
  }
  check_length("jobset/managed-by", "spec.managedBy", "manager", *manager, out);
}

// Groups do not exist in Trainer 2.0.
void check_group_name(const ReplicatedJob& job, k8s::Violations& out) {
  const Node* group = job.node->get("groupName");
  if (!group) return;
  const std::string field = job.field + ".groupName";
  if (!has_label_form(group->text())) {
    base::Diagnostic& found =
        add(out, "jobset/group-name", field,
            fmt::format("the groupName \"{}\" must be a DNS label", group->text()), group);
    suggest_label(found, group, group->text(), true);
  }
  check_length("jobset/group-name", field, "groupName", *group, out);
}

// The name of the Job with the highest index, which is the longest.
std::string last_job_name(const JobSetView& job_set, const ReplicatedJob& job) {
  return job_name(job_set.name, job.name, job.replicas - 1);
}

void check_derived_form(const JobSetView& job_set, const ReplicatedJob& job, k8s::Violations& out) {
  const std::string job_name = last_job_name(job_set, job);
  if (has_label_form(job_name)) return;
  const std::string field = job.field + ".name";
  const std::string message = fmt::format("the Job name \"{}\" must be a DNS label", job_name);
  if (!has_label_form(fmt::format("{}-0", job_set.name))) {
    base::Diagnostic& found = add(out, "jobset/name", field, message, job_set.name_node);
    suggest_label(found, job_set.name_node, job_set.name, true);
    return;
  }
  base::Diagnostic& diagnostic = add(out, "jobset/name", field, message, job.name_node);
  suggest_label(diagnostic, job.name_node, job.name, false);
  add_note(diagnostic, "the TrainJob", job_set.name_node);
}

// Pod names end in five random characters.
void check_derived_length(const JobSetView& job_set, const ReplicatedJob& job, k8s::Violations& out) {
  const bool has_pod_names = job.indexed && job.completions;
  std::string longest = last_job_name(job_set, job);
  if (has_pod_names) longest += fmt::format("-{}-xxxxx", *job.completions - 1);
  if (longest.size() <= kMaxLabel) return;
  add_too_long(out, "jobset/name-length", job.field + ".name",
               fmt::format("the {} name \"{}\" would have {} characters, at most {} are allowed",
                           has_pod_names ? "pod" : "Job", longest, longest.size(), kMaxLabel),
               job_set, longest.size() - kMaxLabel, {"replicatedJob", job.name, job.name_node});
}

// Checks subdomain, managedBy, group names, and the names that the Jobs and pods will have.
void check_names(const JobSetView& job_set, k8s::Violations& out) {
  check_subdomain(job_set, out);
  check_manager(job_set, out);
  for (const ReplicatedJob& job : job_set.jobs) {
    check_group_name(job, out);
    check_derived_form(job_set, job, out);
    check_derived_length(job_set, job, out);
  }
}

void check_pod_counts(const JobSetView& job_set, k8s::Violations& out) {
  constexpr int64_t kMaxPods = std::numeric_limits<int32_t>::max();
  for (const ReplicatedJob& job : job_set.jobs) {
    const int64_t parallelism = job.parallelism.value_or(1);
    const int64_t pods = parallelism * job.replicas;
    if (pods <= kMaxPods) continue;
    const bool by_replicas = job.replicas > parallelism;
    const Node* replicas = job.node->get("replicas");
    const Node* parallel = job.job_spec ? job.job_spec->get("parallelism") : nullptr;
    base::Diagnostic& diagnostic =
        add(out, "jobset/pod-count", "",
            fmt::format("replicatedJob \"{}\" would run {} pods ({} replicas of {}), at most {} are allowed",
                        job.name, pods, job.replicas, parallelism, kMaxPods),
            by_replicas ? replicas : parallel,
            fmt::format("at most {}", kMaxPods / (by_replicas ? parallelism : job.replicas)));
    add_note(diagnostic, by_replicas ? "the parallelism" : "the replicas", by_replicas ? parallel : replicas);
  }
}

// References to replicatedJobs: dependsOn, the success policy, the coordinator

// Accepts a dependency on the job itself, as the webhook does.
void check_dependency(const JobSetView& job_set, const ReplicatedJob& job, const Node& dependency,
                      k8s::Violations& out) {
  const std::string_view target = text_at(dependency, "name");
  const ReplicatedJob* other = job_set.job(target);
  if (other && other <= &job) return;
  const Node* name = dependency.get("name");
  const Node* culprit = name ? name : &dependency;
  if (!other) {
    suggest_job(add(out, "jobset/depends-on", "",
                    fmt::format("replicatedJob \"{}\" depends on \"{}\", which the JobSet does not have",
                                job.name, target),
                    culprit),
                job_set, name);
    return;
  }
  base::Diagnostic& diagnostic =
      add(out, "jobset/depends-on", "",
          fmt::format("replicatedJob \"{}\" depends on \"{}\", which comes after it", job.name, target),
          culprit, fmt::format("move \"{}\" up, before \"{}\"", target, job.name));
  add_note(diagnostic, fmt::format("replicatedJob \"{}\"", target), other->name_node);
}

// The valid range of an index into `count` items.
std::string index_hint(int64_t count) {
  if (count <= 0) return "";
  return count == 1 ? "0 is the only one" : fmt::format("0 to {}", count - 1);
}

void check_coordinator_index(const JobSetView& job_set, const Node& coordinator, k8s::Violations& out) {
  const std::string_view name = text_at(coordinator, "replicatedJob");
  const ReplicatedJob* job = job_set.job(name);
  if (!job) {
    const Node* node = coordinator.get("replicatedJob");
    suggest_job(
        add(out, "jobset/coordinator", "",
            fmt::format("the coordinator is in replicatedJob \"{}\", which the JobSet does not have", name),
            node),
        job_set, node);
    return;
  }
  const auto culprit = [&](std::string_view key) {
    return coordinator.get(key) ? coordinator.get(key) : &coordinator;
  };
  const int64_t job_index = int_at(coordinator, "jobIndex").value_or(0);
  if (job_index < 0 || job_index >= job->replicas) {
    base::Diagnostic& diagnostic =
        add(out, "jobset/coordinator", "",
            fmt::format("the coordinator's jobIndex is {}, replicatedJob \"{}\" has {}", job_index, name,
                        base::counted(job->replicas, "replica")),
            culprit("jobIndex"), index_hint(job->replicas));
    add_note(diagnostic, "the replicas", job->node->get("replicas"));
    return;
  }
  if (!job->indexed || !job->completions) {
    const Node* mode = job->job_spec ? job->job_spec->get("completionMode") : nullptr;
    base::Diagnostic& diagnostic =
        add(out, "jobset/coordinator", "",
            fmt::format("the coordinator's replicatedJob \"{}\" must be Indexed and set completions", name),
            mode && !job->indexed ? mode : job->node,
            job->indexed ? "add completions:" : "completionMode: Indexed");
    add_note(diagnostic, "the coordinator", &coordinator);
    return;
  }
  const int64_t pod_index = int_at(coordinator, "podIndex").value_or(0);
  if (pod_index >= 0 && pod_index < *job->completions) return;
  base::Diagnostic& diagnostic =
      add(out, "jobset/coordinator", "",
          fmt::format("the coordinator's podIndex is {}, a Job of replicatedJob \"{}\" has {}", pod_index,
                      name, base::counted(*job->completions, "pod")),
          culprit("podIndex"), index_hint(*job->completions));
  add_note(diagnostic, "the number of pods", job->job_spec->get("completions"));
}

// Pods carry the coordinator's address as a label.
void check_coordinator_label(const JobSetView& job_set, const Node& coordinator, k8s::Violations& out) {
  const std::string address = coordinator_address(job_set, coordinator);
  if (!is_name_part(address)) {
    add(out, "jobset/coordinator-label", "",
        fmt::format("the coordinator's address \"{}\" is not a valid label value", address),
        coordinator.get("replicatedJob"), "letters, digits, dashes, dots and underscores");
  }
  if (address.size() <= kMaxLabel) return;
  add_too_long(
      out, "jobset/coordinator-label", "",
      fmt::format("the coordinator's address \"{}\" would have {} characters, at most {} fit in its label",
                  address, address.size(), kMaxLabel),
      job_set, address.size() - kMaxLabel,
      {"coordinator's replicatedJob", text_at(coordinator, "replicatedJob"), &coordinator},
      yaml::text_at(*job_set.spec, {"network", "subdomain"}).empty() ? 2 : 1);
}

void check_depends_on(const JobSetView& job_set, k8s::Violations& out) {
  for (const ReplicatedJob& job : job_set.jobs) {
    const Node* depends_on = job.node->get("dependsOn");
    if (!depends_on) continue;
    if (&job == &job_set.jobs.front()) {
      add(out, "jobset/depends-on", "",
          fmt::format("\"{}\" is the first replicatedJob and can't depend on another", job.name), depends_on,
          "remove it, or move the replicatedJob down");
      continue;
    }
    for (const Node* dependency : depends_on->items()) check_dependency(job_set, job, *dependency, out);
  }
}

void check_success_policy(const JobSetView& job_set, k8s::Violations& out) {
  const Node* policy = job_set.spec->get("successPolicy");
  if (!policy) return;
  for (const Node* target : items_at(*policy, "targetReplicatedJobs")) {
    if (job_set.job(target->text())) continue;
    suggest_job(
        add(out, "jobset/success-policy", "",
            fmt::format("the success policy waits for replicatedJob \"{}\", which the JobSet does not have",
                        target->text()),
            target),
        job_set, target);
  }
}

void check_coordinator(const JobSetView& job_set, const Behaviour& behaviour, k8s::Violations& out) {
  const Node* coordinator = job_set.spec->get("coordinator");
  if (!coordinator) return;
  check_coordinator_index(job_set, *coordinator, out);
  if (behaviour.coordinator_label) check_coordinator_label(job_set, *coordinator, out);
}

// The failure policy

// The reasons that batch/v1 gives for a failed Job.
constexpr std::array<std::string_view, 5> kFailureReasons{"BackoffLimitExceeded", "DeadlineExceeded",
                                                          "FailedIndexes", "MaxFailedIndexesExceeded",
                                                          "PodFailurePolicy"};

bool restarts_one_job(std::string_view action) {
  return action == "RestartJob" || action == "RestartJobAndIgnoreMaxRestarts";
}

// ^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$
bool is_rule_name(std::string_view text) {
  const auto is_word = [](char c) { return base::is_alnum(c) || c == '_'; };
  return !text.empty() && base::is_letter(text.front()) && is_word(text.back()) &&
         std::ranges::all_of(text, [&](char c) { return is_word(c) || c == ',' || c == ':'; });
}

void check_rule_name(const Node& rule, k8s::Violations& out) {
  constexpr size_t kMaxRuleName = 128;
  const Node* name = rule.get("name");
  if (!name) return;  // the schema requires it
  if (name->size() > kMaxRuleName) {
    add(out, "jobset/failure-rule-name", "",
        fmt::format("the failure policy rule's name has {} characters, at most {} are allowed", name->size(),
                    kMaxRuleName),
        name, shorten_hint("it", name->size() - kMaxRuleName));
  }
  if (!is_rule_name(name->text())) {
    add(out, "jobset/failure-rule-name", "",
        fmt::format("\"{}\" is not a valid name for a failure policy rule", name->text()), name,
        "use letters, digits and underscores, with commas and colons only inside; begin with a letter");
  }
}

void check_unique_name(const Node& rule, std::map<std::string_view, const Node*>& rules,
                       k8s::Violations& out) {
  const std::string_view name = text_at(rule, "name");
  const auto [first, is_new] = rules.try_emplace(name, &rule);
  if (is_new || name.empty()) return;
  base::Diagnostic& diagnostic =
      add(out, "jobset/failure-rule-name", "", fmt::format("two failure policy rules are named \"{}\"", name),
          rule.get("name"), "rename one of the two");
  add_note(diagnostic, "the first one", first->second->get("name"));
}

void check_targets(const JobSetView& job_set, const Node& rule, k8s::Violations& out) {
  for (const Node* target : items_at(rule, "targetReplicatedJobs")) {
    if (job_set.job(target->text())) continue;
    suggest_job(
        add(out, "jobset/failure-policy", "",
            fmt::format(
                "the failure policy rule \"{}\" names replicatedJob \"{}\", which the JobSet does not have",
                text_at(rule, "name"), target->text()),
            target),
        job_set, target);
  }
}

void check_reasons(const Node& rule, k8s::Violations& out) {
  for (const Node* reason : items_at(rule, "onJobFailureReasons")) {
    if (base::contains(kFailureReasons, reason->text())) continue;
    base::Diagnostic& found = add(out, "jobset/failure-reason", "",
                                  fmt::format("no Job fails with the reason \"{}\"", reason->text()), reason,
                                  fmt::format("one of {}", fmt::join(kFailureReasons, ", ")));
    if (const auto meant = base::closest(reason->text(), kFailureReasons)) suggest(found, reason, *meant);
  }
}

// The JobSet's status counts the restarts of each Job, but only for up to this many Jobs.
void check_restart_job(const JobSetView& job_set, const Node& rule, bool is_enabled, k8s::Violations& out) {
  constexpr int64_t kMaxReplicas = 1024;
  const Node* action = rule.get("action");
  if (!action || !restarts_one_job(action->text())) return;
  if (!is_enabled) {
    add(out, "jobset/feature-gate", "",
        fmt::format("the action {} needs JobSet's feature gate RestartJob, which is off by default",
                    action->text()),
        action,
        action->text() == "RestartJob" ? "use RestartJobSet" : "use RestartJobSetAndIgnoreMaxRestarts");
    return;
  }
  const auto job =
      std::ranges::find_if(job_set.jobs, [](const auto& j) { return j.replicas > kMaxReplicas; });
  if (job == job_set.jobs.end()) return;
  base::Diagnostic& diagnostic =
      add(out, "jobset/restart-limit", "",
          fmt::format("replicatedJob \"{}\" has {} replicas; with the action {}, at most {} are allowed",
                      job->name, job->replicas, action->text(), kMaxReplicas),
          job->node->get("replicas"));
  add_note(diagnostic, "the action", action);
}

void check_in_place_job(const ReplicatedJob& job, k8s::Violations& out) {
  constexpr int64_t kUnlimited = std::numeric_limits<int32_t>::max();
  const auto value = [&](std::string_view key) { return job.job_spec ? job.job_spec->get(key) : nullptr; };
  const auto require = [&](std::string_view key, const std::string& what, std::string hint) {
    add(out, "jobset/in-place-restart", fmt::format("{}.template.spec.{}", job.field, key),
        fmt::format("replicatedJob \"{}\" must have {} to restart in place", job.name, what),
        value(key) ? value(key) : job.node, std::move(hint));
  };
  const Node* limit = value("backoffLimit");
  if (!limit || limit->as_int() != kUnlimited) {
    require("backoffLimit", fmt::format("backoffLimit {}", kUnlimited),
            fmt::format("backoffLimit: {}", kUnlimited));
  }
  const Node* replacement = value("podReplacementPolicy");
  if (!replacement || replacement->text() != "Failed") {
    require("podReplacementPolicy", "podReplacementPolicy \"Failed\"", "podReplacementPolicy: Failed");
  }
  if (!job.completions || job.completions != job.parallelism) {
    require("completions", "equal completions and parallelism", "set both to the same number");
  }
}

void check_in_place_restart(const JobSetView& job_set, const Node& policy, bool is_enabled,
                            k8s::Violations& out) {
  const Node* strategy = policy.get("restartStrategy");
  if (!strategy || strategy->text() != "InPlaceRestart") return;
  if (!is_enabled) {
    add(out, "jobset/feature-gate", "",
        "the restartStrategy InPlaceRestart needs JobSet's feature gate "
        "InPlaceRestart, which is off by default",
        strategy, "use Recreate or BlockingRecreate");
    return;
  }
  for (const ReplicatedJob& job : job_set.jobs) check_in_place_job(job, out);
}

void check_failure_policy(const JobSetView& job_set, const Behaviour& behaviour, k8s::Violations& out) {
  const Node* policy = job_set.spec->get("failurePolicy");
  if (!policy) return;
  check_in_place_restart(job_set, *policy, behaviour.in_place_restart, out);
  std::map<std::string_view, const Node*> named;
  for (const Node* rule : items_at(*policy, "rules")) {
    check_restart_job(job_set, *rule, behaviour.restart_job, out);
    check_rule_name(*rule, out);
    check_unique_name(*rule, named, out);
    check_targets(job_set, *rule, out);
    check_reasons(*rule, out);
  }
}

// The claims that a JobSet creates for its pods

struct Claim {
  std::string field;  // the webhook writes "template" for the API's "templates"
  const Node* node = nullptr;
  std::string_view name;
};

std::vector<Claim> claims_of(const Node& spec) {
  std::vector<Claim> claims;
  size_t policy_index = 0;
  for (const Node* policy : items_at(spec, "volumeClaimPolicies")) {
    size_t index = 0;
    for (const Node* claim : items_at(*policy, "templates")) {
      const Node* name = claim->at({"metadata", "name"});
      claims.push_back({fmt::format("spec.volumeClaimPolicies[{}].template[{}].name", policy_index, index++),
                        name ? name : claim, yaml::text_of(name)});
    }
    ++policy_index;
  }
  return claims;
}

void check_name(const JobSetView& job_set, const Claim& claim, k8s::Violations& out) {
  if (!dns_subdomain_problem(claim.name).empty()) {
    const std::string message = claim.name.empty()
                                    ? "a claim template needs a name"
                                    : fmt::format("\"{}\" is not a valid claim name", claim.name);
    add(out, "jobset/claim-name", claim.field, message, claim.node,
        "use lower-case letters, digits, dashes and dots, with no dash or dot at the beginning or end");
  }
  const std::string full = claim_name(claim.name, job_set.name);
  if (full.size() <= kMaxLabel) return;
  add_too_long(out, "jobset/claim-name", claim.field,
               fmt::format("the claim's name \"{}\" would have {} characters, at most {} are allowed", full,
                           full.size(), kMaxLabel),
               job_set, full.size() - kMaxLabel, {"claim template", claim.name, claim.node});
}

// A volume of a replicatedJob's pods.
struct GivenVolume {
  const ReplicatedJob* job = nullptr;
  size_t index = 0;
  const Node* node = nullptr;
};

std::map<std::string_view, std::vector<GivenVolume>> volumes_by_name(const JobSetView& job_set) {
  std::map<std::string_view, std::vector<GivenVolume>> volumes;
  for (const ReplicatedJob& job : job_set.jobs) {
    if (!job.pod_spec) continue;
    size_t index = 0;
    for (const Node* volume : items_at(*job.pod_spec, "volumes"))
      volumes[text_at(*volume, "name")].push_back({&job, index++, volume});
  }
  return volumes;
}

// JobSet adds a volume with the claim's name to the pods.
void check_volumes(const std::map<std::string_view, std::vector<GivenVolume>>& volumes, const Claim& claim,
                   k8s::Violations& out) {
  const auto found = volumes.find(claim.name);
  if (found == volumes.end()) return;
  for (const GivenVolume& volume : found->second) {
    base::Diagnostic& diagnostic =
        add(out, "jobset/claim-volume",
            fmt::format("{}.template.spec.template.spec.volumes[{}].name", volume.job->field, volume.index),
            fmt::format("the volume \"{}\" of replicatedJob \"{}\" has the same name as a claim template, "
                        "which adds a volume of that name",
                        claim.name, volume.job->name),
            volume.node->get("name"), "rename it, or remove it to use the claim");
    add_note(diagnostic, "the claim template", claim.node);
  }
}

// The volumes that any container mounts.
std::set<std::string_view> mounted_in(const JobSetView& job_set) {
  std::set<std::string_view> mounted;
  for (const ReplicatedJob& job : job_set.jobs) {
    if (job.pod_spec) mounted.merge(mounted_volumes(*job.pod_spec));
  }
  return mounted;
}

void check_mount(const std::set<std::string_view>& mounted, const Claim& claim, k8s::Violations& out) {
  if (mounted.contains(claim.name)) return;
  add(out, "jobset/claim-mount", "spec.replicatedJobs",
      fmt::format("no container mounts the claim \"{}\"", claim.name), claim.node,
      claim.name.empty() ? "" : fmt::format("add a volumeMount with name: {}", claim.name));
}

// A claim that exists in the cluster and differs can't be seen here.
void check_volume_claims(const JobSetView& job_set, k8s::Violations& out) {
  std::map<std::string_view, const Claim*> first;
  const std::vector<Claim> claims = claims_of(*job_set.spec);
  if (claims.empty()) return;
  const std::set<std::string_view> mounted = mounted_in(job_set);
  const std::map<std::string_view, std::vector<GivenVolume>> volumes = volumes_by_name(job_set);
  for (const Claim& claim : claims) {
    const auto [same, is_new] = first.try_emplace(claim.name, &claim);
    if (!is_new) {
      base::Diagnostic& duplicate = add(out, "jobset/claim-name", claim.field,
                                        fmt::format("two claim templates are named \"{}\"", claim.name),
                                        claim.node, "rename one of the two");
      add_note(duplicate, "the first one", same->second->node);
      continue;
    }
    check_name(job_set, claim, out);
    check_volumes(volumes, claim, out);
    check_mount(mounted, claim, out);
  }
}

// Defaults

using yaml::Maker;

constexpr std::string_view kRule = "jobset/default";

bool is_unset(const Node* value) {
  return !value || value->is_null() || (value->is_string() && value->size() == 0);
}

// `map` with a text at `path`, unless one is set. The types were checked when the inputs were admitted.
const Node* with_text(const Node* map, std::initializer_list<std::string_view> path, std::string_view text,
                      const Maker& make) {
  if (!is_unset(map->at(path))) return map;
  return make.with_path(map, path, make.string(text, make.made(kRule, {map})));
}

const Node* with_true(const Node* map, std::string_view key, const Maker& make) {
  if (!is_unset(map->get(key))) return map;
  return make.with(map, key, make.boolean(true, make.made(kRule, {map})));
}

// `map` with the list at `key` rewritten element by element; elements that are not maps stay.
template <class Rewrite>
const Node* with_each(const Node* map, std::string_view key, const Maker& make, Rewrite rewrite) {
  const Node* list = map->get(key);
  if (!list || !list->is_list()) return map;
  std::vector<const Node*> items;
  items.reserve(list->size());
  bool changed = false;
  for (const Node* item : list->items()) {
    items.push_back(item->is_map() ? rewrite(item, items.size()) : item);
    changed = changed || items.back() != item;
  }
  return changed ? make.with(map, key, make.list(items, list->origin())) : map;
}

const Node* with_job_defaults(const Node* spec, const Maker& make) {
  return with_each(spec, "replicatedJobs", make, [&](const Node* job, size_t) {
    job = with_text(job, {"template", "spec", "completionMode"}, "Indexed", make);
    return with_text(job, {"template", "spec", "template", "spec", "restartPolicy"}, "OnFailure", make);
  });
}

// Sets the network by which pods find each other by name.
const Node* with_network(const Node* spec, const Maker& make) {
  const Node* given = spec->get("network");
  const Node* network = is_unset(given) ? make.map({}, make.made(kRule, {spec})) : given;
  network = with_true(network, "enableDNSHostnames", make);
  network = with_true(network, "publishNotReadyAddresses", make);
  return network == given ? spec : make.with(spec, "network", network);
}

const Node* with_rule_names(const Node* spec, const Maker& make) {
  const Node* policy = spec->get("failurePolicy");
  if (!policy) return spec;
  const Node* named = with_each(policy, "rules", make, [&](const Node* rule, size_t index) {
    if (!is_unset(rule->get("name"))) return rule;
    return make.with(rule, "name",
                     make.copied(fmt::format("failurePolicyRule{}", index), make.made(kRule, {rule})));
  });
  return named == policy ? spec : make.with(spec, "failurePolicy", named);
}

// Adds the policy unless there is one, which is neither changed nor completed.
const Node* with_policy(const Node* spec, std::string_view policy, std::string_view key,
                        std::string_view text, const Maker& make) {
  return is_unset(spec->get(policy)) ? with_text(spec, {policy, key}, text, make) : spec;
}

const Node* with_retention(const Node* spec, const Maker& make) {
  return with_each(spec, "volumeClaimPolicies", make, [&](const Node* policy, size_t) {
    return with_policy(policy, "retentionPolicy", "whenDeleted", "Delete", make);
  });
}

}  // namespace

const Node* with_webhook_defaults(const Node* root, const Maker& make) {
  const Node* given = root->get("spec");
  const Node* spec = given ? given : make.map({}, make.made(kRule, {root}));
  spec = with_policy(spec, "successPolicy", "operator", "All", make);
  spec = with_policy(spec, "startupPolicy", "startupPolicyOrder", "AnyOrder", make);
  spec = with_job_defaults(spec, make);
  spec = with_network(spec, make);
  spec = with_rule_names(spec, make);
  spec = with_retention(spec, make);
  return spec == given ? root : make.with(root, "spec", spec);
}

void check_webhook_rules(const yaml::Node& admitted, const Behaviour& behaviour, Violations& out) {
  const JobSetView job_set = view_job_set(admitted);
  if (!job_set.spec) return;
  check_names(job_set, out);
  check_pod_counts(job_set, out);
  check_depends_on(job_set, out);
  check_success_policy(job_set, out);
  check_failure_policy(job_set, behaviour, out);
  check_coordinator(job_set, behaviour, out);
  check_volume_claims(job_set, out);
}

}  // namespace trainjobc::k8s::jobset
