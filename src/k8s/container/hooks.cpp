// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>

#include "k8s/check/field_checks.h"
#include "k8s/container/containers.h"

namespace trainjobc::k8s::job {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::string_view kProbeHandlers[] = {"exec", "httpGet", "tcpSocket", "grpc"};
constexpr std::string_view kHookHandlers[] = {"exec", "httpGet", "tcpSocket", "sleep"};

void check_http_get(const Field& get, std::string_view rule, Report& report) {
  constexpr std::string_view kSchemes[] = {"HTTP", "HTTPS"};
  check_port_reference(get.child("port"), rule, report);
  check_defaulted_one_of(get.child("scheme"), kSchemes, rule, report);
  const Field headers = get.child("httpHeaders");
  for_each_item(headers, [&](const Field& header) {
    const Field name = header.child("name");
    const std::string wrong = complaint(Form::HeaderName, name.text());
    if (wrong.empty()) return;
    report.add_at(name.location(), rule, headers, fmt::format("header name {} {}", quoted(name), wrong));
  });
}

void check_sleep(const Field& sleep, std::string_view rule, const PodFacts& facts, Report& report) {
  const Field seconds = sleep.child("seconds");
  const int64_t length = seconds.integer().value_or(0);
  if (length >= 0 && length <= facts.grace_period) return;
  report.add_at(
      seconds.location(), rule, sleep,
      length < 0 ? fmt::format("a sleep of {} seconds is negative", length)
                 : fmt::format("a sleep of {} seconds is longer than the pod's terminationGracePeriodSeconds "
                               "of {}",
                               length, facts.grace_period),
      length < 0 ? "" : fmt::format("raise terminationGracePeriodSeconds to {} or more", length));
}

void check_action(const Field& action, std::string_view kind, std::string_view rule, const PodFacts& facts,
                  Report& report) {
  if (kind == "exec") {
    const Field command = action.child("command");
    if (command.size() == 0) report.add(rule, command, "exec needs a command", "add command");
  } else if (kind == "httpGet") {
    check_http_get(action, rule, report);
  } else if (kind == "sleep") {
    check_sleep(action, rule, facts, report);
  } else {
    check_port_reference(action.child("port"), rule, report);
  }
}

// Exactly one of the handlers; further ones are refused without being checked.
void check_handler(const Field& owner, Names kinds, std::string_view rule, const PodFacts& facts,
                   Report& report) {
  std::string_view first;
  for (const std::string_view kind : kinds) {
    const Field action = owner.child(kind);
    if (!action) continue;
    if (first.empty()) {
      first = kind;
      check_action(action, kind, rule, facts, report);
    } else {
      report.add_at(action.key_location(), rule, action,
                    fmt::format("{} can't have both {} and {}", owner.name(), first, kind),
                    "remove one of the two");
    }
  }
  if (!first.empty()) return;
  report.add(rule, owner, fmt::format("{} has no action", owner.name()),
             fmt::format("add {}", fmt::join(kinds, ", or ")));
}

void check_probe(const Field& probe, bool may_kill, const PodFacts& facts, Report& report) {
  if (!probe) return;
  check_handler(probe, kProbeHandlers, rule::kProbe, facts, report);
  for (const std::string_view name :
       {"initialDelaySeconds", "timeoutSeconds", "periodSeconds", "failureThreshold"}) {
    check_not_negative(probe.child(name), rule::kProbe, report);
  }
  const Field successes = probe.child("successThreshold");
  const Field grace = probe.child("terminationGracePeriodSeconds");
  if (check_not_negative(successes, rule::kProbe, report) && may_kill &&
      successes.integer().value_or(0) > 1) {
    report.add(rule::kProbe, successes, fmt::format("successThreshold of a {} must be 1", probe.name()),
               "remove it");
  }
  if (grace && !may_kill) {
    report.add_at(grace.key_location(), rule::kProbe, grace,
                  fmt::format("a {} never terminates a container", probe.name()),
                  "remove terminationGracePeriodSeconds");
  } else if (grace) {
    check_positive(grace, rule::kProbe, report);
  }
}

}  // namespace

bool has_lifecycle(const Field& container) {
  const Field lifecycle = container.child("lifecycle");
  if (!lifecycle) return false;
  return !lifecycle.child("stopSignal") || lifecycle.child("postStart") || lifecycle.child("preStop");
}

void check_hooks(const Field& container, const PodFacts& facts, Report& report) {
  const Field lifecycle = container.child("lifecycle");
  for (const std::string_view name : {"postStart", "preStop"}) {
    const Field hook = lifecycle.child(name);
    if (hook) check_handler(hook, kHookHandlers, rule::kLifecycle, facts, report);
  }
  check_probe(container.child("livenessProbe"), true, facts, report);
  check_probe(container.child("readinessProbe"), false, facts, report);
  check_probe(container.child("startupProbe"), true, facts, report);
}

}  // namespace trainjobc::k8s::job
