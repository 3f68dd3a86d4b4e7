// SPDX-License-Identifier: Apache-2.0

#include "k8s/pod/security_context.h"

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "k8s/check/field_checks.h"

namespace trainjobc::k8s::job {
namespace {

constexpr size_t kMaxProfilePath = 4095;
constexpr std::string_view kProfileTypes[] = {"Localhost", "RuntimeDefault", "Unconfined"};

bool is_padded(std::string_view text) {
  return base::trimmed(text, base::kGoSpace).size() != text.size();
}

// Whether the profile is a file on the node, as its type says; reports a type and a file that don't fit
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

// Contradictions between fields of one container; the API server names only the context.
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

}  // namespace

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

}  // namespace trainjobc::k8s::job
