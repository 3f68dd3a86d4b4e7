// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <set>

#include "k8s/check/field_checks.h"
#include "k8s/container/containers.h"

namespace trainjobc::k8s::job {
namespace {

constexpr size_t kMaxRules = 20;
constexpr size_t kMaxRestartExitCodes = 255;

void check_rule(const Field& restart_rule, Report& report) {
  constexpr std::string_view kActions[] = {"Restart", "RestartAllContainers"};
  constexpr std::string_view kOperators[] = {"In", "NotIn"};
  check_one_of(restart_rule.child("action"), kActions, rule::kRestartPolicy, report);
  const Field codes = restart_rule.child("exitCodes");
  if (!codes) {
    report.add(rule::kRestartPolicy, codes, "a restart rule needs exitCodes");
    return;
  }
  check_one_of(codes.child("operator"), kOperators, rule::kRestartPolicy, report);
  check_count(codes.child("values"), kMaxRestartExitCodes, "exit codes", rule::kRestartPolicy, report);
}

}  // namespace

void check_container_restart(const Field& container, Report& report) {
  constexpr std::string_view kPolicies[] = {"Always", "Never", "OnFailure"};
  const Field policy = container.child("restartPolicy");
  const Field rules = container.child("restartPolicyRules");
  if (!policy && rules.size() > 0) {
    report.add_at(rules.key_location(), rule::kRestartPolicy, policy,
                  "restartPolicyRules need a restartPolicy", "add restartPolicy");
  }
  check_optional_one_of(policy, kPolicies, rule::kRestartPolicy, report);
  check_count(rules, kMaxRules, "rules", rule::kRestartPolicy, report);
  for_each_item(rules, [&](const Field& restart_rule) { check_rule(restart_rule, report); });
}

void check_resize_policy(const Field& policies, const PodFacts& facts, Report& report) {
  constexpr std::string_view kResources[] = {"cpu", "memory"};
  constexpr std::string_view kRestarts[] = {"NotRequired", "RestartContainer"};
  std::set<std::string_view> seen;
  // Except for duplicates, the API server names the list, not the element.
  const auto refuse = [&](const Field& culprit, std::string message, std::string hint) {
    report.add_at(culprit.location(), rule::kContainer, policies, std::move(message), std::move(hint));
  };
  for_each_item(policies, [&](const Field& policy) {
    const Field resource = policy.child("resourceName");
    const Field restart = policy.child("restartPolicy");
    if (!seen.insert(resource.text()).second) {
      report.add(rule::kContainer, policy, fmt::format("resizePolicy of {} is set twice", resource.text()),
                 "remove one of the two");
    } else if (resource.text() != kResources[0] && resource.text() != kResources[1]) {
      refuse(resource, fmt::format("resizePolicy can't be set for {}", quoted(resource)), "cpu or memory");
    }
    if (restart.text() != kRestarts[0] && restart.text() != kRestarts[1]) {
      refuse(restart, fmt::format("restartPolicy of a resize can't be {}", quoted(restart)),
             "NotRequired or RestartContainer");
    } else if (facts.restart_policy == "Never" && restart.text() == kRestarts[1]) {
      refuse(restart, "a pod with restartPolicy Never can't restart a container for a resize",
             "write NotRequired");
    }
  });
}

}  // namespace trainjobc::k8s::job
