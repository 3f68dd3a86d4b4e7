// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "k8s/check/field_checks.h"
#include "k8s/pod/pod_parts.h"

namespace trainjobc::k8s::job {
namespace {

constexpr size_t kMaxHostname = 64;

bool on_host_network(const Field& spec) {
  return spec.child("hostNetwork").is_true();
}

// On the host's network, the containerPort is the hostPort. A template may omit hostPort.
void check_host_ports(const Field& spec, Report& report) {
  if (!on_host_network(spec)) return;
  for_each_item(spec.child("containers"), [&](const Field& container) {
    for_each_item(container.child("ports"), [&](const Field& port) {
      const Field host_port = port.child("hostPort");
      const int64_t outside = host_port.integer().value_or(0);
      const int64_t inside = port.child("containerPort").integer().value_or(0);
      if (outside == 0 || outside == inside) return;
      report.add(rule::kPort, host_port,
                 fmt::format("with hostNetwork, hostPort {} must equal containerPort {}", outside, inside),
                 "leave hostPort out");
    });
  });
}

// A pod with a user namespace can't share the host's namespaces or its block devices.
void check_own_users(const Field& spec, Report& report) {
  const Field host_users = spec.child("hostUsers");
  if (!host_users || host_users.is_true()) return;
  const auto refuse = [&](std::string_view name, std::string_view reported) {
    const Field given = spec.child(name);
    if (!given.is_true()) return;
    report.add(rule::kHost, spec.child(reported, given.node()), fmt::format("{} needs hostUsers: true", name),
               fmt::format("remove {} or hostUsers: false", name));
  };
  refuse("hostNetwork", "hostNetwork");
  refuse("hostPID", "HostPID");
  refuse("hostIPC", "HostIPC");
  for_each_container(spec, [&](const Field& container) {
    const Field devices = container.child("volumeDevices");
    if (devices.size() == 0) return;
    report.add_at(devices.key_location(), rule::kHost, devices, "volumeDevices need hostUsers: true",
                  "remove hostUsers: false");
  });
}

void check_hostname_override(const Field& spec, Report& report) {
  const Field name = spec.child("hostnameOverride");
  if (!name) return;
  if (spec.child("setHostnameAsFQDN").is_true()) {
    report.add(rule::kHost, name, "hostnameOverride can't be used with setHostnameAsFQDN: true",
               "remove one of them");
  } else if (on_host_network(spec)) {
    report.add(rule::kHost, name, "a pod with hostNetwork has the host's name", "remove hostnameOverride");
  } else if (check_form(name, Form::DnsSubdomain, rule::kHost, "hostnameOverride", report) &&
             name.text().size() > kMaxHostname) {
    report.add(rule::kHost, name,
               fmt::format("hostnameOverride is {} characters long, at most {} are allowed",
                           name.text().size(), kMaxHostname));
  }
}

}  // namespace

void check_host(const Field& spec, Report& report) {
  check_host_ports(spec, report);
  check_own_users(spec, report);
  check_hostname_override(spec, report);
  check_optional_name(spec.child("hostname"), Form::DnsLabel, rule::kHost, "hostname", report);
  for_each_item(spec.child("hostAliases"), [&](const Field& alias) {
    check_ip(alias.child("ip"), rule::kHost, report);
    for_each_item(alias.child("hostnames"), [&](const Field& name) {
      check_form(name, Form::DnsSubdomain, rule::kHost, "host name", report);
    });
  });
}

}  // namespace trainjobc::k8s::job
