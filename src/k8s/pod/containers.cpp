// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <set>

#include "k8s/pod/pod.h"

namespace trainjobc::k8s::pod {

namespace {

// Ports

void check_ports(const Field& ports, Report& report) {
  constexpr std::string_view kProtocols[] = {"TCP", "UDP", "SCTP"};
  std::set<std::string_view> names;
  for_each_item(ports, [&](const Field& port) {
    const Field name = port.child("name");
    if (check_optional_name(name, Form::PortName, rule::kPort, "port name", report) && !name.text().empty() &&
        !names.insert(name.text()).second) {
      report.add(rule::kPort, name, fmt::format("two ports of the container are named {}", quoted(name)),
                 "rename one of them");
    }
    const Field number = port.child("containerPort");
    if (number.integer().value_or(0) == 0) {
      report.add(rule::kPort, number, "a port needs a containerPort from 1 to 65535");
    } else {
      check_range(number, 1, 65535, rule::kPort, report);
    }
    const Field host_port = port.child("hostPort");
    if (host_port.integer().value_or(0) != 0) check_range(host_port, 1, 65535, rule::kPort, report);
    check_defaulted_one_of(port.child("protocol"), kProtocols, rule::kPort, report);
  });
}

// restartPolicy and restartPolicyRules

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

// lifecycle and probes

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

// Checks that exactly one of the handlers is given; further ones are refused without being checked.
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

// Whether the API server sees a lifecycle: it drops stopSignal, and with it a lifecycle that has nothing
// else.
bool has_lifecycle(const Field& container) {
  const Field lifecycle = container.child("lifecycle");
  if (!lifecycle) return false;
  return !lifecycle.child("stopSignal") || lifecycle.child("postStart") || lifecycle.child("preStop");
}

// Checks lifecycle and the three probes, in containers that may have them.
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

// The list of containers

using SeenNames = std::set<std::string_view>;

// The container's name for messages, or its position if it has none.
std::string called(const Field& container) {
  const std::string_view name = container.child("name").text();
  return name.empty() ? container.name() : fmt::format("container \"{}\"", name);
}

// Checks what containers of every kind have in common.
void check_container(const Field& container, const PodFacts& facts, Report& report) {
  constexpr std::string_view kPullPolicies[] = {"Always", "IfNotPresent", "Never"};
  constexpr std::string_view kMessagePolicies[] = {"File", "FallbackToLogsOnError"};
  check_name(container.child("name"), Form::DnsLabel, rule::kName, "container name", report);
  const Field image = container.child("image");
  if (image.text().empty()) {
    report.add(rule::kImage, image, fmt::format("{} has no image", called(container)), "add image");
  }
  check_defaulted_one_of(container.child("terminationMessagePolicy"), kMessagePolicies, rule::kContainer,
                         report);
  check_defaulted_one_of(container.child("imagePullPolicy"), kPullPolicies, rule::kImage, report);
  check_ports(container.child("ports"), report);
  check_env(container, report);
  check_mounts(container, facts, report);
  check_container_resources(container.child("resources"), facts, report);
  check_resize_policy(container.child("resizePolicy"), facts, report);
  check_security_context(container.child("securityContext"), facts.host_users, report);
}

// The host ports that containers claim, by protocol and address.
class HostPorts {
 public:
  // The API server names `reported` instead of the container.
  void check(const Field& container, const Field& reported, Report& report) {
    const Field ports = container.child("ports");
    const Field reported_ports = reported.child("ports", ports.node());
    for (size_t i = 0; i < ports.size(); ++i) {
      const Field port = ports.item(i);
      const int64_t number = port.child("hostPort").integer().value_or(0);
      if (number == 0) continue;
      const std::string_view protocol = port.child("protocol").text();
      const std::string key =
          fmt::format("{}/{}/{}", protocol.empty() ? "TCP" : protocol, port.child("hostIP").text(), number);
      if (taken_.insert(key).second) continue;
      const Field reported_port = reported_ports.item(i);
      report.add(rule::kPort, reported_port.child("hostPort"),
                 fmt::format("hostPort {} is used twice", number), "give one of the ports another hostPort");
    }
  }

 private:
  std::set<std::string> taken_;
};

void check_unique_name(const Field& container, SeenNames& names, Report& report) {
  const Field name = container.child("name");
  if (names.insert(name.text()).second || name.text().empty()) return;
  report.add(rule::kContainer, name, fmt::format("two containers are named {}", quoted(name)),
             "rename one of them");
}

void check_regular(const Field& containers, const PodFacts& facts, SeenNames& names, Report& report) {
  if (containers.size() == 0) {
    report.add(rule::kContainer, containers, "a pod needs at least one container", "add containers");
    return;
  }
  HostPorts host_ports;
  for_each_item(containers, [&](const Field& container) {
    check_container(container, facts, report);
    check_unique_name(container, names, report);
    check_hooks(container, facts, report);
    check_container_restart(container, report);
    host_ports.check(container, container, report);
  });
}

// Checks an init container that ends before the next one starts.
void check_plain_init(const Field& container, Report& report) {
  for (const std::string_view name : {"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"}) {
    const Field hook = container.child(name);
    if (!hook || (name == "lifecycle" && !has_lifecycle(container))) continue;
    report.add_at(hook.key_location(), name == "lifecycle" ? rule::kLifecycle : rule::kProbe, hook,
                  fmt::format("init {} can't have a {}", called(container), name),
                  "remove it, or make it a sidecar with restartPolicy: Always");
  }
  for_each_item(container.child("resizePolicy"), [&](const Field& policy) {
    const Field restart = policy.child("restartPolicy");
    if (restart.text() != "RestartContainer") return;
    suggest_writing(report.add(rule::kContainer, restart,
                               fmt::format("init {} can't be restarted for a resize", called(container))),
                    restart.node(), "NotRequired");
  });
}

// Checks the rules of an init container that is always restarted.
void check_sidecar_rules(const Field& container, Report& report) {
  const Field rules = container.child("restartPolicyRules");
  const KubernetesBehaviour& kubernetes = report.kubernetes();
  if (kubernetes.sidecars_have_rules || rules.size() == 0 ||
      container.child("restartPolicy").text() != "Always")
    return;
  report.add_at(
      rules.key_location(), rule::kRestartPolicy, rules,
      fmt::format(
          "Kubernetes {} does not accept restartPolicyRules with restartPolicy Always in an init container",
          kubernetes.version),
      "remove them");
}

void check_init(const Field& containers, const PodFacts& facts, SeenNames& names, Report& report) {
  // Init containers run one by one; the API server checks each one alone for repeated host ports, and calls
  // it the first.
  const Field reported = containers.item(0);
  for_each_item(containers, [&](const Field& container) {
    check_container(container, facts, report);
    if (container.child("restartPolicy")) {
      check_container_restart(container, report);
    } else if (container.child("restartPolicyRules").size() > 0) {
      report.add(rule::kRestartPolicy, container.child("restartPolicy"),
                 "restartPolicyRules need a restartPolicy", "add restartPolicy");
    }
    check_sidecar_rules(container, report);
    check_unique_name(container, names, report);
    HostPorts().check(container, reported, report);
    if (container.child("restartPolicy").text() == "Always") {
      check_hooks(container, facts, report);
    } else {
      check_plain_init(container, report);
    }
  });
}

// Checks fields that ephemeral containers can't have.
void check_ephemeral_fields(const Field& container, Report& report) {
  const auto refuse = [&](const Field& field) {
    report.add_at(field.key_location(), rule::kContainer, field,
                  fmt::format("an ephemeral container can't have {}", field.name()), "remove it");
  };
  for (const std::string_view name : {"livenessProbe", "readinessProbe", "startupProbe", "restartPolicy"}) {
    if (container.child(name)) refuse(container.child(name));
  }
  for (const std::string_view name : {"ports", "resizePolicy", "restartPolicyRules"}) {
    if (container.child(name).size() > 0) refuse(container.child(name));
  }
  const Field resources = container.child("resources");
  const auto is_set = [&](std::string_view name) { return resources.child(name).size() > 0; };
  if (is_set("limits") || is_set("requests") || is_set("claims")) refuse(resources);
  if (has_lifecycle(container)) refuse(container.child("lifecycle"));
  for_each_item(container.child("volumeMounts"), [&](const Field& mount) {
    for (const std::string_view name : {"subPath", "subPathExpr"}) {
      if (!mount.child(name).text().empty()) refuse(mount.child(name));
    }
  });
}

// Pod templates can't have them at all, but their other errors are reported, too.
void check_ephemeral(const Field& containers, const PodFacts& facts, SeenNames& names, Report& report) {
  if (containers.size() == 0) return;
  report.add_at(containers.key_location(), rule::kContainer, containers,
                "ephemeral containers are allowed only in running pods, not in templates",
                "remove ephemeralContainers");
  const SeenNames others = names;
  for_each_item(containers, [&](const Field& container) {
    check_container(container, facts, report);
    check_unique_name(container, names, report);
    check_ephemeral_fields(container, report);
    const Field image = container.child("image");
    if (!image.text().empty() && (image.text().front() == ' ' || image.text().back() == ' ')) {
      report.add(rule::kImage, image, fmt::format("image {} begins or ends with a space", quoted(image)));
    }
    const Field target = container.child("targetContainerName");
    if (!target.text().empty() && !others.contains(target.text())) {
      report.add(rule::kContainer, target, fmt::format("the pod has no container {}", quoted(target)));
    }
  });
}

}  // namespace

std::string_view default_pull_policy(std::string_view image) {
  const size_t digest = image.find('@');
  image = image.substr(0, digest);
  image = image.substr(image.rfind('/') + 1);  // npos + 1 is 0
  const size_t colon = image.find(':');
  const bool has_digest = digest != std::string_view::npos;
  const bool is_latest = colon == std::string_view::npos ? !has_digest : image.substr(colon + 1) == "latest";
  return is_latest ? "Always" : "IfNotPresent";
}

void check_containers(const Field& spec, const PodFacts& facts, Report& report) {
  SeenNames names;
  check_regular(spec.child("containers"), facts, names, report);
  check_init(spec.child("initContainers"), facts, names, report);
  check_ephemeral(spec.child("ephemeralContainers"), facts, names, report);
}

}  // namespace trainjobc::k8s::pod
