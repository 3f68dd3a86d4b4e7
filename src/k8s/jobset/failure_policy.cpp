// SPDX-License-Identifier: Apache-2.0

// The failure policy of a JobSet.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "base/text/ascii.h"
#include "base/text/suggest.h"
#include "k8s/jobset/webhook_rules.h"

namespace trainjobc::k8s::jobset {
namespace {

using base::is_letter;

using yaml::Node;

// The reasons of batch/v1 for a failed Job.
constexpr std::array<std::string_view, 5> kFailureReasons{"BackoffLimitExceeded", "DeadlineExceeded",
                                                          "FailedIndexes", "MaxFailedIndexesExceeded",
                                                          "PodFailurePolicy"};

bool restarts_one_job(std::string_view action) {
  return action == "RestartJob" || action == "RestartJobAndIgnoreMaxRestarts";
}

// ^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$
bool is_rule_name(std::string_view text) {
  const auto is_word = [](char c) { return base::is_alnum(c) || c == '_'; };
  return !text.empty() && is_letter(text.front()) && is_word(text.back()) &&
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

void check_unique_name(std::span<const Node* const> rules, size_t index, k8s::Violations& out) {
  const std::string_view name = text_at(*rules[index], "name");
  const auto same = [&](const Node* other) { return text_at(*other, "name") == name; };
  const auto first = std::ranges::find_if(rules, same);
  if (*first == rules[index] || name.empty()) return;
  base::Diagnostic& diagnostic =
      add(out, "jobset/failure-rule-name", "", fmt::format("two failure policy rules are named \"{}\"", name),
          rules[index]->get("name"), "rename one of the two");
  add_note(diagnostic, "the first one", (*first)->get("name"));
}

void check_targets(const JobSetView& job_set, const Node& rule, k8s::Violations& out) {
  for (const Node* target : items_at(rule, "targetReplicatedJobs")) {
    if (job_set.job(target->text())) continue;
    add(out, "jobset/failure-policy", "",
        fmt::format(
            "the failure policy rule \"{}\" names replicatedJob \"{}\", which the JobSet does not have",
            text_at(rule, "name"), target->text()),
        target, suggest_job(job_set, target->text()));
  }
}

void check_reasons(const Node& rule, k8s::Violations& out) {
  for (const Node* reason : items_at(rule, "onJobFailureReasons")) {
    if (std::ranges::find(kFailureReasons, reason->text()) != kFailureReasons.end()) continue;
    std::string hint = fmt::format("one of {}", fmt::join(kFailureReasons, ", "));
    if (const auto meant = base::closest(reason->text(), kFailureReasons)) {
      hint = fmt::format("did you mean \"{}\"?", *meant);
    }
    add(out, "jobset/failure-reason", "", fmt::format("no Job fails with the reason \"{}\"", reason->text()),
        reason, hint);
  }
}

// The JobSet's status counts the restarts of each Job, for at most this many Jobs.
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

}  // namespace

void check_failure_policy(const JobSetView& job_set, const Behaviour& behaviour, k8s::Violations& out) {
  const Node* policy = job_set.spec->get("failurePolicy");
  if (!policy) return;
  check_in_place_restart(job_set, *policy, behaviour.in_place_restart, out);
  const auto rules = items_at(*policy, "rules");
  for (size_t i = 0; i < rules.size(); ++i) {
    check_restart_job(job_set, *rules[i], behaviour.restart_job, out);
    check_rule_name(*rules[i], out);
    check_unique_name(rules, i, out);
    check_targets(job_set, *rules[i], out);
    check_reasons(*rules[i], out);
  }
}

}  // namespace trainjobc::k8s::jobset
