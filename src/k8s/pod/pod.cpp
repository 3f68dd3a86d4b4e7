// SPDX-License-Identifier: Apache-2.0

#include "k8s/pod/pod.h"

#include <fmt/format.h>

#include <set>

#include "k8s/object_meta.h"

namespace trainjobc::k8s::pod {

namespace {

// spec.dnsPolicy and spec.dnsConfig

// The limits of the C library's resolver.
constexpr size_t kMaxNameservers = 3;
constexpr size_t kMaxSearches = 32;
constexpr size_t kMaxSearchBytes = 2048;

void check_searches(const Field& searches, Report& report) {
  size_t bytes = searches.size() > 0 ? searches.size() - 1 : 0;  // the spaces in between
  for_each_item(searches, [&](const Field& search) {
    bytes += search.text().size();
    std::string_view domain = search.text();
    if (domain == ".") return;
    if (domain.ends_with('.')) domain.remove_suffix(1);
    check_text(search, domain, Form::UnderscoredSubdomain, rule::kDns, "search domain", report);
  });
  if (!check_count(searches, kMaxSearches, "search domains", rule::kDns, report)) return;
  if (bytes > kMaxSearchBytes) {
    report.add(rule::kDns, searches,
               fmt::format("the search domains have {} characters in total, at most {} are allowed", bytes,
                           kMaxSearchBytes));
  }
}

void check_dns(const Field& spec, Report& report) {
  constexpr std::string_view kPolicies[] = {"ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"};
  const Field policy = spec.child("dnsPolicy");
  check_defaulted_one_of(policy, kPolicies, rule::kDns, report);
  const Field config = spec.child("dnsConfig");
  const Field servers = config.child("nameservers");
  if (policy.text() == "None" && servers.size() == 0) {
    report.add_at(config ? servers.location() : policy.location(), rule::kDns, config ? servers : config,
                  "dnsPolicy None needs a nameserver in dnsConfig",
                  "add dnsConfig: {nameservers: [10.0.0.10]}");
    return;
  }
  check_count(servers, kMaxNameservers, "nameservers", rule::kDns, report);
  for_each_item(servers, [&](const Field& server) { check_ip(server, rule::kDns, report); });
  check_searches(config.child("searches"), report);
  for_each_item(config.child("options"), [&](const Field& option) {
    if (!option.child("name").text().empty()) return;
    report.add(rule::kDns, option, "a DNS option needs a name");
  });
}

// Gates and resource claims

// Checks spec.readinessGates and spec.schedulingGates.
void check_gates(const Field& spec, Report& report) {
  for_each_item(spec.child("readinessGates"), [&](const Field& gate) {
    check_form(gate.child("conditionType"), Form::LabelKey, rule::kGate, "conditionType", report);
  });
  std::set<std::string_view> seen;
  for_each_item(spec.child("schedulingGates"), [&](const Field& gate) {
    const std::string_view name = gate.child("name").text();
    if (!check_text(gate, name, Form::LabelKey, rule::kGate, "scheduling gate", report,
                    gate.child("name").node()))
      return;
    if (seen.insert(name).second) return;
    report.add(rule::kGate, gate, fmt::format("scheduling gate {} is listed twice", quoted(name)),
               "remove one of the two");
  });
}

void check_claim_source(const Field& claim, Report& report) {
  const Field name = claim.child("resourceClaimName");
  const Field from = claim.child("resourceClaimTemplateName");
  if (name && from) {
    report.add(rule::kResourceClaim, claim,
               "a claim can't have both resourceClaimName and resourceClaimTemplateName",
               "remove one of the two");
  } else if (!name && !from) {
    report.add(rule::kResourceClaim, claim,
               "a claim needs a resourceClaimName or a resourceClaimTemplateName");
  }
  for (const Field* reference : {&name, &from}) {
    if (*reference)
      check_form(*reference, Form::DnsSubdomain, rule::kResourceClaim, reference->name(), report);
  }
}

void check_resource_claims(const Field& claims, Report& report) {
  std::set<std::string_view> seen;
  for_each_item(claims, [&](const Field& claim) {
    const Field name = claim.child("name");
    if (!check_given(name, rule::kResourceClaim, report)) return check_claim_source(claim, report);
    if (!seen.insert(name.text()).second) {
      report.add(rule::kResourceClaim, name, fmt::format("two claims are named {}", quoted(name)),
                 "rename one of them");
    } else {
      check_form(name, Form::DnsLabel, rule::kResourceClaim, "claim name", report);
    }
    check_claim_source(claim, report);
  });
}

// The host's namespaces, names and ports

constexpr size_t kMaxHostname = 64;

bool on_host_network(const Field& spec) {
  return spec.child("hostNetwork").is_true();
}

// On the host's network, the hostPort is the containerPort. A template may omit it.
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

// Checks host namespaces, host users and aliases, host ports of a pod on the host's network, and the pod's
// own host name.
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

// Operating systems

void refuse_given(const Field& field, const Field& reported, std::string_view os, Report& report) {
  if (!field) return;
  report.add_at(field.key_location(), rule::kSecurityContext, reported,
                fmt::format("a {} pod can't have {}", os, field.name()),
                fmt::format("remove {}", field.name()));
}

void refuse_children(const Field& context, std::span<const std::string_view> names, Report& report) {
  for (const std::string_view name : names) {
    const Field field = context.child(name);
    refuse_given(field, field, "Windows", report);
  }
}

void check_linux(const Field& spec, Report& report) {
  const auto check = [&](const Field& owner) {
    const Field context = owner.child("securityContext");
    const Field options = context.child("windowsOptions");
    refuse_given(options, options, "Linux", report);
  };
  check(spec);
  for_each_container(spec, check);
}

void check_windows(const Field& spec, Report& report) {
  constexpr std::string_view kPod[] = {"appArmorProfile", "seLinuxOptions",           "seccompProfile",
                                       "fsGroup",         "fsGroupChangePolicy",      "runAsUser",
                                       "runAsGroup",      "supplementalGroupsPolicy", "seLinuxChangePolicy"};
  constexpr std::string_view kContainer[] = {"appArmorProfile",
                                             "seLinuxOptions",
                                             "seccompProfile",
                                             "capabilities",
                                             "readOnlyRootFilesystem",
                                             "privileged",
                                             "allowPrivilegeEscalation",
                                             "procMount",
                                             "runAsUser",
                                             "runAsGroup"};
  const Field context = spec.child("securityContext");
  refuse_children(context, kPod, report);
  for (const std::string_view name : {"sysctls", "supplementalGroups"}) {
    const Field field = context.child(name);
    if (field.size() > 0) refuse_given(field, field, "Windows", report);
  }
  for (const std::string_view name : {"hostPID", "hostIPC"}) {
    const Field field = spec.child(name);
    if (field.is_true()) refuse_given(field, field, "Windows", report);
  }
  for (const std::string_view name : {"hostUsers", "shareProcessNamespace"}) {
    const Field field = spec.child(name);
    refuse_given(field, field, "Windows", report);
  }
  for_each_container(spec, [&](const Field& container) {
    const Field own = container.child("securityContext");
    refuse_children(own, kContainer, report);
  });
}

// Checks containers of a Windows pod that run as processes of the host: all or none, and only on the host's
// network.
void check_host_process(const Field& spec, Report& report) {
  const Field context = spec.child("securityContext");
  const Field options = context.child("windowsOptions");
  const Field of_pod = options.child("hostProcess");
  size_t containers = 0;
  size_t host_processes = 0;
  for_each_container(spec, [&](const Field& container) {
    const Field own_context = container.child("securityContext");
    const Field own_options = own_context.child("windowsOptions");
    const Field own = own_options.child("hostProcess");
    if (of_pod && own && of_pod.is_true() != own.is_true()) {
      report.add(rule::kSecurityContext, own, "hostProcess of the container contradicts that of the pod");
    }
    ++containers;
    if (own ? own.is_true() : of_pod.is_true()) ++host_processes;
  });
  if (host_processes == 0) return;
  if (host_processes != containers) {
    report.add(rule::kSecurityContext, spec, "either all containers are hostProcess containers, or none");
  } else {
    report.add(rule::kSecurityContext, spec,
               "hostProcess containers are not allowed unless the cluster allows privileged containers");
  }
  if (!spec.child("hostNetwork").is_true()) {
    report.add(rule::kHost, spec.child("hostNetwork"), "hostProcess containers need hostNetwork",
               "add hostNetwork: true");
  }
}

// Checks settings that only one operating system has, and spec.os itself.
void check_os(const Field& spec, Report& report) {
  check_host_process(spec, report);
  const Field os = spec.child("os");
  if (!os) return;
  const Field name = os.child("name");
  if (!check_given(name, rule::kPodSpec, report)) return;
  if (name.text() == "linux") return check_linux(spec, report);
  if (name.text() == "windows") return check_windows(spec, report);
  report.add_at(name.location(), rule::kPodSpec, os, fmt::format("a pod's os can't be {}", quoted(name)),
                "one of \"linux\", \"windows\"");
}

// The spec as a whole

PodFacts facts_of(const Field& spec, std::vector<PodVolume> volumes) {
  PodFacts facts;
  const Field host_users = spec.child("hostUsers");
  facts.host_users = !host_users || host_users.is_true();
  facts.grace_period = spec.child("terminationGracePeriodSeconds").integer().value_or(facts.grace_period);
  const Field restart_policy = spec.child("restartPolicy");
  if (!restart_policy.text().empty()) facts.restart_policy = restart_policy.text();
  const Field os = spec.child("os");
  facts.os = os.child("name").text();
  facts.volumes = std::move(volumes);
  for (const PodVolume& volume : facts.volumes) {
    if (volume.usable) facts.usable_volumes.try_emplace(volume.name, volume.node);
  }
  for_each_item(spec.child("resourceClaims"), [&](const Field& claim) {
    const Field name = claim.child("name");
    if (!name.text().empty()) facts.claims.push_back(name.text());
  });
  return facts;
}

// Checks names of other objects in the cluster.
void check_references(const Field& spec, Report& report) {
  for (const std::string_view name : {"nodeName", "priorityClassName"}) {
    check_optional_name(spec.child(name), Form::DnsSubdomain, rule::kName, name, report);
  }
  const Field account = spec.child("serviceAccountName");
  const Field old_name = spec.child("serviceAccountName", spec.child("serviceAccount").node());
  check_optional_name(account.text().empty() ? old_name : account, Form::DnsSubdomain, rule::kName,
                      "serviceAccountName", report);
  const Field runtime_class = spec.child("runtimeClassName");
  if (runtime_class) check_form(runtime_class, Form::DnsSubdomain, rule::kName, "runtimeClassName", report);
}

}  // namespace

void check_pod_spec(const Field& spec, std::vector<std::string_view> claim_templates, Report& report) {
  constexpr std::string_view kPreemption[] = {"PreemptLowerPriority", "Never"};
  PodFacts facts = facts_of(spec, check_volumes(spec.child("volumes"), report));
  facts.claim_templates = std::move(claim_templates);
  check_resource_claims(spec.child("resourceClaims"), report);
  check_containers(spec, facts, report);
  check_env_files(spec, facts, report);
  check_pod_resources(spec, facts, report);
  check_pod_security_context(spec, report);
  check_host(spec, report);
  check_optional_name(spec.child("subdomain"), Form::DnsLabel, rule::kHost, "subdomain", report);
  check_os(spec, report);
  check_dns(spec, report);
  check_labels(spec.child("nodeSelector"), "node label", report);
  check_affinity(spec.child("affinity"), report);
  check_tolerations(spec.child("tolerations"), report);
  check_topology_spread(spec.child("topologySpreadConstraints"), report);
  check_gates(spec, report);
  check_references(spec, report);
  check_range(spec.child("activeDeadlineSeconds"), 1, INT32_MAX, rule::kPodSpec, report);
  check_optional_one_of(spec.child("preemptionPolicy"), kPreemption, rule::kPodSpec, report);
}

void check_restart_policy(const Field& spec, bool has_failure_policy, Report& report) {
  constexpr std::string_view kPolicies[] = {"Never", "OnFailure"};
  const Field policy = spec.child("restartPolicy");
  if (policy.text().empty() || policy.text() == "Always") {
    report.add(rule::kRestartPolicy, policy, "a Job's pods can't have restartPolicy Always",
               "write Never or OnFailure");
  } else if (check_one_of(policy, kPolicies, rule::kRestartPolicy, report) && has_failure_policy &&
             policy.text() != "Never") {
    suggest_writing(report.add(rule::kRestartPolicy, policy, "a podFailurePolicy needs restartPolicy: Never"),
                    policy.node(), "Never");
  }
}

}  // namespace trainjobc::k8s::pod
