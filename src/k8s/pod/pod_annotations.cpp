// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "base/text/text.h"
#include "k8s/pod/pod.h"
#include "yaml/read/reader.h"

namespace trainjobc::k8s::pod {

namespace {

constexpr std::string_view kMirror = "kubernetes.io/config.mirror";
constexpr std::string_view kDeletionCost = "controller.kubernetes.io/pod-deletion-cost";
constexpr std::string_view kTolerations = "scheduler.alpha.kubernetes.io/tolerations";
constexpr std::string_view kSeccompOfPod = "seccomp.security.alpha.kubernetes.io/pod";
constexpr std::string_view kSeccompOfContainer = "container.seccomp.security.alpha.kubernetes.io/";
constexpr std::string_view kAppArmor = "container.apparmor.security.beta.kubernetes.io/";
constexpr std::string_view kLocalhost = "localhost/";

bool is_int32(std::string_view text) {
  const auto value = base::read_integer(text);
  const bool has_leading_zero = text.size() > 1 && text.front() == '0';
  return value && *value >= INT32_MIN && *value <= INT32_MAX && !has_leading_zero;
}

// Checks a list of tolerations, given as JSON text.
void check_tolerations_text(const Field& annotations, const Field& annotation, Report& report) {
  if (annotation.text().empty() || annotation.text() == "null") return;
  const yaml::Text text(annotation.text());
  const yaml::Node* root = text.root();
  if (!root || !root->is_list()) {
    report.add_at(annotation.location(), rule::kAnnotation, annotations,
                  fmt::format("annotation {} is not a JSON list of tolerations", kTolerations),
                  "use spec.tolerations");
    return;
  }
  k8s::Violations found;
  Report inner(found);
  check_tolerations(annotations.child(kTolerations, root), inner);
  for (base::Diagnostic& violation : found) {
    base::Diagnostic& added =
        report.add(rule::kAnnotation, annotation, std::move(violation.message), "use spec.tolerations");
    added.field = std::move(violation.field);
  }
}

// `profile` is an annotation that stands for a securityContext's seccompProfile.
void check_seccomp(const Field& annotations, std::string_view key, const Field& profile, Report& report) {
  const std::string_view text = profile.text();
  if (text == "runtime/default" || text == "docker/default" || text == "unconfined") return;
  const Field reported = annotations.child(key, profile.node());
  const std::string_view path = text.starts_with(kLocalhost) ? text.substr(kLocalhost.size()) : "..";
  if (!path.starts_with('/') && !has_backstep(path)) return;
  report.add(rule::kAnnotation, reported, fmt::format("{} is not a seccomp profile", quoted(text)),
             "use securityContext.seccompProfile");
}

void check_apparmor(std::string_view key, const Field& profile, const Field& spec, Report& report) {
  const std::string_view container = key.substr(kAppArmor.size());
  bool found = false;
  for_each_container(spec, [&](const Field& c) { found = found || c.child("name").text() == container; });
  if (!found) {
    report.add_at(profile.key_location(), rule::kAnnotation, profile,
                  fmt::format("the pod has no container {}", quoted(container)),
                  "use securityContext.appArmorProfile");
    return;
  }
  const std::string_view text = profile.text();
  if (text.empty() || text == "runtime/default" || text == "unconfined" || text.starts_with(kLocalhost))
    return;
  report.add(rule::kAnnotation, profile, fmt::format("{} is not an AppArmor profile", quoted(text)),
             "use securityContext.appArmorProfile");
}

// An annotation must match the field that replaced it. `profile` is the field.
void check_agreement(const Field& annotation, const Field& profile, bool docker, Report& report) {
  const std::string_view type = profile.child("type").text();
  const std::string_view text = annotation.text();
  const Field local = profile.child("localhostProfile");
  bool same_type = true;
  if (type == "Unconfined") same_type = text == "unconfined";
  if (type == "RuntimeDefault") same_type = text == "runtime/default" || (docker && text == "docker/default");
  if (type == "Localhost") same_type = text.starts_with(kLocalhost);
  const bool same_file =
      type != "Localhost" || !same_type || (local && text.substr(kLocalhost.size()) == local.text());
  if (same_type && same_file) return;
  const Field type_field = profile.child("type");
  report.add(rule::kAnnotation, same_type ? local : type_field,
             fmt::format("{} contradicts the annotation, which says {}", profile.name(), quoted(text)),
             "remove the annotation");
}

void check_agreements(const Field& annotations, const Field& spec, Report& report) {
  const Field pod_context = spec.child("securityContext");
  const Field pod_seccomp = pod_context.child("seccompProfile");
  const Field pod_apparmor = pod_context.child("appArmorProfile");
  const Field os = spec.child("os");
  const bool windows = os.child("name").text() == "windows";
  const Field of_pod = annotations.entry(kSeccompOfPod);
  if (pod_seccomp && of_pod) check_agreement(of_pod, pod_seccomp, true, report);
  for_each_container(spec, [&](const Field& container) {
    const std::string name(container.child("name").text());
    const Field context = container.child("securityContext");
    const Field seccomp = context.child("seccompProfile");
    const std::string seccomp_key = std::string(kSeccompOfContainer) + name;
    const Field says_seccomp = annotations.entry(seccomp_key);
    if (seccomp && says_seccomp) check_agreement(says_seccomp, seccomp, true, report);
    // The pod's profile is the container's too, and reported as such.
    const Field own = context.child("appArmorProfile");
    const Field apparmor = context.child("appArmorProfile", own ? own.node() : pod_apparmor.node());
    const std::string apparmor_key = std::string(kAppArmor) + name;
    const Field says_apparmor = annotations.entry(apparmor_key);
    if (apparmor && says_apparmor && !windows) check_agreement(says_apparmor, apparmor, false, report);
  });
}

}  // namespace

void check_pod_annotations(const Field& annotations, const Field& spec, Report& report) {
  const Field mirror = annotations.entry(kMirror);
  if (mirror && spec.child("nodeName").text().empty()) {
    report.add_at(mirror.key_location(), rule::kAnnotation, mirror, "a mirror pod needs a nodeName",
                  "remove the annotation");
  }
  check_tolerations_text(annotations, annotations.entry(kTolerations), report);
  const Field cost = annotations.entry(kDeletionCost);
  if (cost && !is_int32(cost.text())) {
    report.add(rule::kAnnotation, cost, fmt::format("{} is not a 32-bit number", quoted(cost)));
  }
  for_each_entry(annotations, [&](std::string_view key, const Field& value) {
    if (key == kSeccompOfPod || key.starts_with(kSeccompOfContainer))
      check_seccomp(annotations, key, value, report);
    if (key.starts_with(kAppArmor)) check_apparmor(key, value, spec, report);
  });
  check_agreements(annotations, spec, report);
}

}  // namespace trainjobc::k8s::pod
