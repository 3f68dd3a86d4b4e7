// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "k8s/check/field_checks.h"
#include "k8s/job/job_spec.h"

namespace trainjobc::k8s::job {
namespace {

constexpr size_t kMaxFailureRules = 20;
constexpr size_t kMaxExitCodes = 255;
constexpr size_t kMaxPatterns = 20;

bool has_container(const Field& pod, std::string_view name) {
  bool found = false;
  const auto look = [&](const Field& container) { found = found || container.child("name").text() == name; };
  for_each_item(pod.child("containers"), look);
  for_each_item(pod.child("initContainers"), look);
  return found;
}

void check_exit_code_values(const Field& values, bool is_in, Report& report) {
  if (values.size() == 0) {
    report.add(rule::kPodFailurePolicy, values, "onExitCodes needs at least one exit code", "add values");
  }
  check_count(values, kMaxExitCodes, "exit codes", rule::kPodFailurePolicy, report);
  std::set<int64_t> seen;
  int64_t last = INT64_MIN;
  bool ordered = true;
  for_each_item(values, [&](const Field& value) {
    const int64_t code = value.integer().value_or(0);
    if (is_in && code == 0) {
      report.add(rule::kPodFailurePolicy, value, "exit code 0 is not a failure, operator In can't list it");
    } else if (seen.contains(code)) {
      report.add(rule::kPodFailurePolicy, value, fmt::format("exit code {} is listed twice", code),
                 "remove one of the two");
    }
    seen.insert(code);
    ordered = ordered && last <= code;
    last = code;
  });
  if (!ordered) {
    report.add(rule::kPodFailurePolicy, values, "exit codes must be in ascending order",
               fmt::format("write [{}]", fmt::join(seen, ", ")));
  }
}

void check_exit_codes(const Field& codes, const Field& pod, Report& report) {
  constexpr std::string_view kOperators[] = {"In", "NotIn"};
  const Field op = codes.child("operator");
  check_one_of(op, kOperators, rule::kPodFailurePolicy, report);
  const Field container = codes.child("containerName");
  if (container && !has_container(pod, container.text())) {
    report.add(rule::kPodFailurePolicy, container,
               fmt::format("the pod has no container {}", quoted(container)),
               "name one of the pod's containers, or leave containerName out");
  }
  check_exit_code_values(codes.child("values"), op.text() == "In", report);
}

void check_conditions(const Field& patterns, Report& report) {
  check_count(patterns, kMaxPatterns, "patterns", rule::kPodFailurePolicy, report);
  constexpr std::string_view kStatuses[] = {"False", "True", "Unknown"};
  for_each_item(patterns, [&](const Field& pattern) {
    check_form(pattern.child("type"), Form::LabelKey, rule::kPodFailurePolicy, "condition type", report);
    check_defaulted_one_of(pattern.child("status"), kStatuses, rule::kPodFailurePolicy, report);
  });
}

void check_rule(const Field& policy_rule, const Field& spec, const Field& pod, Report& report) {
  constexpr std::string_view kActions[] = {"Count", "FailIndex", "FailJob", "Ignore"};
  const Field action = policy_rule.child("action");
  if (check_one_of(action, kActions, rule::kPodFailurePolicy, report) && action.text() == "FailIndex" &&
      !spec.child("backoffLimitPerIndex")) {
    report.add(rule::kPodFailurePolicy, action, "action FailIndex needs spec.backoffLimitPerIndex",
               "add backoffLimitPerIndex, or use FailJob");
  }
  const Field codes = policy_rule.child("onExitCodes");
  const Field conditions = policy_rule.child("onPodConditions");
  if (codes) check_exit_codes(codes, pod, report);
  check_conditions(conditions, report);
  if (codes && conditions.size() > 0) {
    report.add(rule::kPodFailurePolicy, policy_rule, "a rule can't have both onExitCodes and onPodConditions",
               "split it into two rules");
  } else if (!codes && conditions.size() == 0) {
    report.add(rule::kPodFailurePolicy, policy_rule, "a rule needs onExitCodes or onPodConditions");
  }
}

}  // namespace

void check_pod_failure_policy(const Field& spec, Report& report) {
  const Field policy = spec.child("podFailurePolicy");
  const Field rules = policy.child("rules");
  const Field pod_template = spec.child("template");
  const Field pod = pod_template.child("spec");
  check_count(rules, kMaxFailureRules, "rules", rule::kPodFailurePolicy, report);
  for_each_item(rules, [&](const Field& policy_rule) { check_rule(policy_rule, spec, pod, report); });
}

}  // namespace trainjobc::k8s::job
