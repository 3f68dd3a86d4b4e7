// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "k8s/check/field_checks.h"
#include "k8s/pod/pod_parts.h"

namespace trainjobc::k8s::job {
namespace {

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

// Containers of a Windows pod that run as processes of the host: all or none, and only on the host's network.
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

}  // namespace

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

}  // namespace trainjobc::k8s::job
