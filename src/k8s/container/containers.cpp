// SPDX-License-Identifier: Apache-2.0

#include "k8s/container/containers.h"

#include <fmt/format.h>

#include <set>

#include "k8s/check/field_checks.h"
#include "k8s/pod/resources.h"
#include "k8s/pod/security_context.h"

namespace trainjobc::k8s::job {
namespace {

using SeenNames = std::set<std::string_view>;

// For messages: the container's name, or its place if it has none.
std::string called(const Field& container) {
  const std::string_view name = container.child("name").text();
  return name.empty() ? container.name() : fmt::format("container \"{}\"", name);
}

// Ports of the host that containers claim, by protocol and address.
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

// An init container that ends before the next one starts.
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
    report.add(rule::kContainer, restart,
               fmt::format("init {} can't be restarted for a resize", called(container)),
               "write NotRequired");
  });
}

void check_init(const Field& containers, const PodFacts& facts, SeenNames& names, Report& report) {
  // Init containers run one by one; the API server checks each separately for repeated host ports and calls
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
    check_unique_name(container, names, report);
    HostPorts().check(container, reported, report);
    if (container.child("restartPolicy").text() == "Always") {
      check_hooks(container, facts, report);
    } else {
      check_plain_init(container, report);
    }
  });
}

// Fields that ephemeral containers can't have.
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

// A pod template can't have them at all, but their other errors are still reported.
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

void check_containers(const Field& spec, const PodFacts& facts, Report& report) {
  SeenNames names;
  check_regular(spec.child("containers"), facts, names, report);
  check_init(spec.child("initContainers"), facts, names, report);
  check_ephemeral(spec.child("ephemeralContainers"), facts, names, report);
}

}  // namespace trainjobc::k8s::job
