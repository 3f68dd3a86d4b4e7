// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "k8s/check/field_checks.h"
#include "k8s/pod/pod_parts.h"
#include "k8s/pod/security_context.h"

namespace trainjobc::k8s::job {
namespace {

enum class Namespace : uint8_t { None, Ipc, Net };

// The name with dots between its parts. If the first separator is a slash, slashes and dots are swapped.
std::string dotted(std::string_view name) {
  std::string out(name);
  const size_t first = name.find_first_of("./");
  if (first == name.npos || name[first] == '.') return out;
  for (char& c : out) c = c == '/' ? '.' : c == '.' ? '/' : c;
  return out;
}

Namespace namespace_of(std::string_view sysctl) {
  constexpr std::string_view kIpc[] = {
      "kernel.sem",    "kernel.shmall", "kernel.shmmax", "kernel.shm_rmid_forced",
      "kernel.shmmni", "kernel.msgmax", "kernel.msgmnb", "kernel.msgmni",
      "kernel.shm",    "kernel.msg"};
  std::string name = dotted(sysctl);
  name.resize(std::min(name.size(), name.find('*')));
  if (name.starts_with("net.")) return Namespace::Net;
  if (name.starts_with("fs.mqueue.") || std::ranges::find(kIpc, name) != std::end(kIpc))
    return Namespace::Ipc;
  return Namespace::None;
}

void check_sysctls(const Field& spec, const Field& sysctls, Report& report) {
  std::set<std::string_view> seen;
  for_each_item(sysctls, [&](const Field& sysctl) {
    const Field name = sysctl.child("name");
    const Namespace shared = namespace_of(name.text());
    const std::string_view host = shared == Namespace::Net ? "hostNetwork" : "hostIPC";
    if (shared != Namespace::None && spec.child(host).is_true()) {
      report.add(rule::kSecurityContext, name,
                 fmt::format("sysctl {} can't be set with {}", name.text(), host),
                 fmt::format("remove the sysctl, or {}", host));
    } else if (!check_name(name, Form::SysctlName, rule::kSecurityContext, "sysctl", report)) {
      return;
    } else if (seen.contains(name.text())) {
      report.add(rule::kSecurityContext, name, fmt::format("sysctl {} is set twice", name.text()),
                 "remove one of the two");
    }
    seen.insert(name.text());
  });
}

}  // namespace

void check_pod_security_context(const Field& spec, Report& report) {
  constexpr std::string_view kGroupChanges[] = {"OnRootMismatch", "Always"};
  constexpr std::string_view kGroupPolicies[] = {"Merge", "Strict"};
  constexpr std::string_view kSeLinuxChanges[] = {"Recursive"};
  const Field context = spec.child("securityContext");
  const Field share = spec.child("shareProcessNamespace");
  if (share.is_true() && spec.child("hostPID").is_true()) {
    report.add(rule::kHost, context.child("shareProcessNamespace", share.node()),
               "shareProcessNamespace and hostPID can't both be true", "remove one of the two");
  }
  for (const std::string_view id : {"fsGroup", "runAsUser", "runAsGroup"})
    check_id(context.child(id), report);
  for_each_item(context.child("supplementalGroups"), [&](const Field& group) { check_id(group, report); });
  check_sysctls(spec, context.child("sysctls"), report);
  check_optional_one_of(context.child("fsGroupChangePolicy"), kGroupChanges, rule::kSecurityContext, report);
  check_optional_one_of(context.child("supplementalGroupsPolicy"), kGroupPolicies, rule::kSecurityContext,
                        report);
  check_optional_one_of(context.child("seLinuxChangePolicy"), kSeLinuxChanges, rule::kSecurityContext,
                        report);
  check_seccomp_profile(context.child("seccompProfile"), report);
  check_windows_options(context.child("windowsOptions"), report);
  check_apparmor_profile(context.child("appArmorProfile"), report);
}

}  // namespace trainjobc::k8s::job
