// SPDX-License-Identifier: Apache-2.0

// Failures that are retried forever, or that a gang can't recover from.
//
// A Job with backoffLimit n fails with the n+1st failure of its pods, whether they are restarted in place
// (restartPolicy OnFailure, JobSet's default) or replaced. The JobSet then follows its failurePolicy, and
// fails if it has none. So jobs with the defaults end; those with a rule that restarts without counting, or
// with an unreachable limit, may not.
#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"
#include "compile/advice/checks.h"
#include "policy/plugin.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::compile::advice::restarts {
namespace {

using policy::PodSet;
using yaml::Node;

constexpr std::string_view kEndlessRestart = "advice/endless-restart";
constexpr int64_t kEndless = 1000;
// The reason for which a Job fails if its program ends with an error.
constexpr std::string_view kProgramFails = "BackoffLimitExceeded";

// An absent list means everything.
bool names(const Node& rule, std::string_view key, std::string_view wanted) {
  const auto items = items_at(rule, key);
  return items.empty() ||
         std::ranges::any_of(items, [&](const Node* item) { return item->text() == wanted; });
}

// The index of the rule that applies if a program of the replicatedJob fails; the number of rules if none
// does.
size_t deciding_rule(std::span<const Node* const> rules, std::string_view job) {
  const auto decides = [&](const Node* rule) {
    return names(*rule, "targetReplicatedJobs", job) && names(*rule, "onJobFailureReasons", kProgramFails) &&
           items_at(*rule, "onJobFailureMessagePatterns").empty();
  };
  return static_cast<size_t>(std::ranges::find_if(rules, decides) - rules.begin());
}

void check_rules(const RuntimeContext& context, const Node& failure_policy, Advisor& advisor) {
  const auto rules = items_at(failure_policy, "rules");
  std::vector<bool> reported(rules.size());
  for (const PodSet& set : context.info.pod_sets) {
    const size_t index = deciding_rule(rules, set.name);
    if (index == rules.size() || reported[index]) continue;
    const Node* action = rules[index]->get("action");
    if (!action || !action->text().ends_with("AndIgnoreMaxRestarts")) continue;
    reported[index] = true;
    advisor.warn(kEndlessRestart, fmt::format("spec.template.spec.failurePolicy.rules[{}].action", index),
                 fmt::format("a program of \"{}\" that always fails is restarted forever: this rule counts "
                             "no restarts and applies to every failure",
                             set.name),
                 yaml::locate(*action), "limit it: onJobFailureReasons: [PodFailurePolicy]");
  }
}

void check_limit(const Node* limit, const std::string& field, std::string_view what, Advisor& advisor) {
  if (!limit || limit->as_int().value_or(0) < kEndless) return;
  advisor.warn(kEndlessRestart, field,
               fmt::format("{} that always fails is restarted {} times", what, limit->text()),
               yaml::locate(*limit), "write how many failures are worth a retry");
}

// Whether failures with exit code 1, which programs usually end with, match.
bool matches_error(const Node& exit_codes) {
  const auto codes = items_at(exit_codes, "values");
  const bool listed = std::ranges::any_of(codes, [](const Node* code) { return code->as_int() == 1; });
  return (text_at(exit_codes, "operator") == "NotIn") != listed;
}

void check_ignored_failures(const PodSet& set, const std::string& job, Advisor& advisor) {
  const Node* policy = set.replicated_job->at({"template", "spec", "podFailurePolicy"});
  if (!policy) return;
  const auto rules = items_at(*policy, "rules");
  for (size_t i = 0; i < rules.size(); ++i) {
    const Node* codes = rules[i]->get("onExitCodes");
    if (!codes || !matches_error(*codes)) continue;
    const Node* action = rules[i]->get("action");
    if (action && action->text() == "Ignore") {
      advisor.warn(kEndlessRestart, fmt::format("{}.template.spec.podFailurePolicy.rules[{}].action", job, i),
                   "a program that always exits with code 1 is restarted forever: such failures don't count",
                   yaml::locate(*action), "write Count, or leave 1 out");
    }
    return;  // the first rule that matches decides
  }
}

void check_failure_policy(const RuntimeContext& context, Advisor& advisor) {
  const Node* policy = context.info.job_set_spec ? context.info.job_set_spec->get("failurePolicy") : nullptr;
  if (!policy) return;
  check_rules(context, *policy, advisor);
  check_limit(policy->get("maxRestarts"), "spec.template.spec.failurePolicy.maxRestarts", "a gang", advisor);
}

void check_job_retries(const RuntimeContext& context, Advisor& advisor) {
  for (size_t i = 0; i < context.info.pod_sets.size(); ++i) {
    const PodSet& set = context.info.pod_sets[i];
    const std::string job = replicated_job_field(i);
    const Node* spec = set.replicated_job->at({"template", "spec"});
    if (!spec || spec->get("activeDeadlineSeconds")) continue;
    check_limit(spec->get("backoffLimit"), job + ".template.spec.backoffLimit", "a pod", advisor);
    check_ignored_failures(set, job, advisor);
  }
}

// Whether the nodes meet at an address from a variable; once they have met, a restarted node can't rejoin.
bool meets_at_address(const policy::RuntimeInfo& info) {
  const policy::Framework* framework = policy::framework_of(info);
  return framework && base::contains(framework->env, framework->address);
}

void check_gang_retries(const AdviceContext& context, Advisor& advisor) {
  const policy::RuntimeInfo& info = context.merged;
  if (context.runtime.from_catalogue || !meets_at_address(info)) return;
  const policy::PodSet* trainer = trainer_of(info).set;
  const auto& wanted = context.job.trainer ? context.job.trainer->num_nodes : std::nullopt;
  const int64_t nodes = wanted ? wanted->value : trainer ? trainer->count.value : 1;
  const Node* retries = trainer ? trainer->replicated_job->at({"template", "spec", "backoffLimit"}) : nullptr;
  const Node* restarts = info.job_set_spec->at({"failurePolicy", "maxRestarts"});
  const bool restarts_gang = restarts && restarts->as_int().value_or(0) > 0;
  if (!retries || retries->as_int().value_or(0) < 1 || nodes < 2 || !restarts_gang) return;
  const Node* cause = wanted ? wanted->node : context.job.runtime_ref.name.node;
  base::Diagnostic& found =
      advisor.warn("advice/pod-restart", wanted ? "spec.trainer.numNodes" : "spec.runtimeRef.name",
                   fmt::format("when one of the {} nodes fails, it is restarted alone before the gang is: "
                               "the others can't accept it back",
                               nodes),
                   yaml::locate(*cause), "set backoffLimit: 0 in the runtime");
  add_note(found, fmt::format("backoffLimit: {}", retries->text()), retries);
  base::suggest_fix(found, yaml::replace_scalar(*retries, "0"));
}

}  // namespace

Checks checks() {
  return {.job = {check_gang_retries}, .runtime = {check_failure_policy, check_job_retries}};
}

}  // namespace trainjobc::compile::advice::restarts
