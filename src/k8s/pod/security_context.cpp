// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text/text.h"
#include "k8s/pod/pod.h"

namespace trainjobc::k8s::pod {

namespace {

// What pods and containers share

constexpr size_t kMaxProfilePath = 4095;
constexpr std::string_view kProfileTypes[] = {"Localhost", "RuntimeDefault", "Unconfined"};

bool is_padded(std::string_view text) {
  return base::trimmed(text, base::kGoSpace).size() != text.size();
}

// Whether the profile is a file on the node, judging by its type; reports a type and a file that don't fit
// together.
bool names_local_profile(const Field& profile, std::string_view what, Report& report) {
  const Field type = profile.child("type");
  const Field local = profile.child("localhostProfile");
  if (type.text() == "Localhost") {
    if (local) return true;
    report.add(rule::kSecurityContext, local,
               fmt::format("a {} profile of type Localhost needs a localhostProfile", what),
               "name the profile's file on the node");
    return false;
  }
  if (local) {
    report.add(rule::kSecurityContext, local, "localhostProfile needs type: Localhost",
               "remove localhostProfile, or write type: Localhost");
  }
  return false;
}

// Reports contradictions between fields of one container; the API server names only the context.
void check_escalation(const Field& context, Report& report) {
  const Field escalation = context.child("allowPrivilegeEscalation");
  if (!escalation || escalation.is_true()) return;
  if (context.child("privileged").is_true()) {
    report.add_at(escalation.location(), rule::kSecurityContext, context,
                  "a privileged container can't have allowPrivilegeEscalation: false",
                  "remove allowPrivilegeEscalation, or privileged");
  }
  const Field capabilities = context.child("capabilities");
  for_each_item(capabilities.child("add"), [&](const Field& capability) {
    if (capability.text() != "CAP_SYS_ADMIN") return;
    report.add_at(capability.location(), rule::kSecurityContext, context,
                  "capability CAP_SYS_ADMIN can't be added with allowPrivilegeEscalation: false",
                  "remove the capability, or allowPrivilegeEscalation");
  });
}

void check_seccomp_profile(const Field& profile, Report& report) {
  if (!profile) return;
  check_one_of(profile.child("type"), kProfileTypes, rule::kSecurityContext, report);
  if (names_local_profile(profile, "seccomp", report)) {
    check_relative_path(profile.child("localhostProfile"), rule::kSecurityContext, report);
  }
}

void check_apparmor_profile(const Field& profile, Report& report) {
  if (!profile) return;
  if (!check_one_of(profile.child("type"), kProfileTypes, rule::kSecurityContext, report)) return;
  if (!names_local_profile(profile, "AppArmor", report)) return;
  const Field local = profile.child("localhostProfile");
  if (!check_given(local, rule::kSecurityContext, report)) return;
  if (is_padded(local.text())) {
    report.add(rule::kSecurityContext, local, "localhostProfile begins or ends with a space",
               "remove the space");
  } else if (local.text().size() > kMaxProfilePath) {
    report.add(rule::kSecurityContext, local,
               fmt::format("localhostProfile is {} characters long, at most {} are allowed",
                           local.text().size(), kMaxProfilePath));
  }
}

// Windows

constexpr size_t kMaxCredentialSpec = 64 * 1024;
constexpr size_t kMaxDomain = 255;
constexpr size_t kMaxUser = 104;

bool is_net_bios_domain(std::string_view domain) {
  return !domain.empty() && domain.front() != '.' && domain.find_first_of("\\/:*?\"<>|") == domain.npos &&
         std::ranges::count_if(domain,
                               [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }) <= 15;
}

// Whether each part between dots is a DNS label, in either case.
bool is_dns_domain(std::string_view domain) {
  const std::string lowered = base::lower_case(domain);
  return all_parts(lowered, ".", [](std::string_view part) { return has_form(Form::DnsLabel, part); });
}

// What is wrong with a user name of the form [domain\]user; "" if nothing.
std::string user_complaint(std::string_view text) {
  if (text.empty()) return "is empty";
  if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; })) {
    return "contains a control character";
  }
  const size_t slash = text.find('\\');
  if (slash != text.npos && text.find('\\', slash + 1) != text.npos) return "has more than one backslash";
  const std::string_view user = slash == text.npos ? text : text.substr(slash + 1);
  if (slash != text.npos) {
    const std::string_view domain = text.substr(0, slash);
    if (domain.size() > kMaxDomain) return fmt::format("has a domain of more than {} characters", kMaxDomain);
    if (!is_net_bios_domain(domain) && !is_dns_domain(domain))
      return "has a domain that is neither a NetBIOS nor a DNS name";
  }
  if (user.empty()) return "has no user";
  if (user.size() > kMaxUser) return fmt::format("has a user of more than {} characters", kMaxUser);
  if (user.find_first_not_of(". ") == user.npos) return "has a user of only dots and spaces";
  if (user.find_first_of("\"/\\:;|=,+*?<>@[]") != user.npos)
    return "has a character that is not allowed in a Windows user name";
  return "";
}

void check_windows_options(const Field& options, Report& report) {
  const Field name = options.child("gmsaCredentialSpecName");
  if (name) check_form(name, Form::DnsSubdomain, rule::kSecurityContext, "gmsaCredentialSpecName", report);
  const Field credentials = options.child("gmsaCredentialSpec");
  if (credentials && credentials.text().empty()) {
    report.add(rule::kSecurityContext, credentials, "gmsaCredentialSpec is empty", "remove it");
  } else if (credentials.text().size() > kMaxCredentialSpec) {
    report.add(rule::kSecurityContext, credentials, "gmsaCredentialSpec is larger than 64 KiB");
  }
  const Field user = options.child("runAsUserName");
  const std::string wrong = user ? user_complaint(user.text()) : "";
  if (!wrong.empty()) {
    report.add(rule::kSecurityContext, user, fmt::format("runAsUserName {} {}", quoted(user), wrong));
  }
}

// The pod's own

enum class Namespace : uint8_t { None, Ipc, Net };

// The name with dots between its parts; if a slash is its first separator, slashes and dots are swapped.
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
  if (name.starts_with("fs.mqueue.") || base::contains(kIpc, name)) return Namespace::Ipc;
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
  constexpr std::string_view kSeLinuxChanges[] = {"Recursive", "MountOption"};
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

void check_security_context(const Field& context, bool host_users, Report& report) {
  if (!context) return;
  constexpr std::string_view kProcMounts[] = {"Default", "Unmasked"};
  const Field privileged = context.child("privileged");
  if (privileged.is_true()) {
    report.add(rule::kSecurityContext, privileged,
               "privileged containers are not allowed unless the cluster allows them",
               "remove privileged, or start kube-apiserver with --allow-privileged");
  }
  check_id(context.child("runAsUser"), report);
  check_id(context.child("runAsGroup"), report);
  const Field proc_mount = context.child("procMount");
  if (check_optional_one_of(proc_mount, kProcMounts, rule::kSecurityContext, report) &&
      proc_mount.text() == "Unmasked" && host_users) {
    report.add(rule::kSecurityContext, proc_mount, "procMount Unmasked needs a user namespace",
               "add hostUsers: false to the pod spec");
  }
  check_seccomp_profile(context.child("seccompProfile"), report);
  check_escalation(context, report);
  check_windows_options(context.child("windowsOptions"), report);
  check_apparmor_profile(context.child("appArmorProfile"), report);
}

}  // namespace trainjobc::k8s::pod
