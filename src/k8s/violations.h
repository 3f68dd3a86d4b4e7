// SPDX-License-Identifier: Apache-2.0

// What an API server refuses in one object: the findings, the ids of the rules, where these come from.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "k8s/field.h"
#include "k8s/value_text.h"

namespace trainjobc::k8s {

struct RuleSource {
  std::string_view rules;  // what they are about
  std::string_view project;
  std::string_view release;
};

inline constexpr std::array kRuleSources = std::to_array<RuleSource>({
    {"names, labels, metadata, quantities", "Kubernetes", "1.36"},
    {"Jobs, pods, volumes", "Kubernetes", "1.36"},
    {"JobSets and their Jobs", "JobSet", "0.12"},
});

// With rule, field, message, hint and location; the caller adds object and stage.
using Violations = std::vector<base::Diagnostic>;

// The rules of stage `job`. Their names are stable; one covers all that can be wrong with its subject.
namespace rule {
inline constexpr std::string_view kAffinity = "job/affinity";
inline constexpr std::string_view kAnnotation = "job/annotation";
inline constexpr std::string_view kContainer = "job/container";  // the list of containers, and their settings
inline constexpr std::string_view kDns = "job/dns";
inline constexpr std::string_view kEnv = "job/env";
inline constexpr std::string_view kGate = "job/gate";
inline constexpr std::string_view kGpuLimit =
    "job/gpu-limit";                                   // resources that need a limit equal to the request
inline constexpr std::string_view kHost = "job/host";  // the host's network, processes, users and names
inline constexpr std::string_view kImage = "job/image";
inline constexpr std::string_view kLabel = "job/label";
inline constexpr std::string_view kLifecycle = "job/lifecycle";
inline constexpr std::string_view kName = "job/name";  // names of the Job's parts and of what it refers to
inline constexpr std::string_view kPodFailurePolicy = "job/pod-failure-policy";
inline constexpr std::string_view kPodSpec = "job/pod-spec";  // settings of a pod that no other rule covers
inline constexpr std::string_view kPort = "job/port";
inline constexpr std::string_view kProbe = "job/probe";
inline constexpr std::string_view kResourceClaim = "job/resource-claim";
inline constexpr std::string_view kResources = "job/resources";
inline constexpr std::string_view kRestartPolicy = "job/restart-policy";
inline constexpr std::string_view kSecurityContext = "job/security-context";
inline constexpr std::string_view kSelector = "job/selector";
inline constexpr std::string_view kSpec = "job/spec";  // counts, limits and modes of the Job itself
inline constexpr std::string_view kSuccessPolicy = "job/success-policy";
inline constexpr std::string_view kToleration = "job/toleration";
inline constexpr std::string_view kTopologySpread = "job/topology-spread";
inline constexpr std::string_view kVolume = "job/volume";
inline constexpr std::string_view kVolumeMount = "job/volume-mount";
}  // namespace rule

class Report {
 public:
  explicit Report(Violations& violations) : violations_(&violations) {}

  // `field` is the path that the API server reports, its value the place to edit.
  base::Diagnostic& add(std::string_view rule, const Field& field, std::string message,
                        std::string hint = "") {
    return add_at(field.location(), rule, field, std::move(message), std::move(hint));
  }
  base::Diagnostic& add_at(base::Location place, std::string_view rule, const Field& field,
                           std::string message, std::string hint = "");

  // How many violations there are so far.
  size_t size() const { return violations_->size(); }

 private:
  Violations* violations_;
};

// The value of a field in quotes, "***" if it is a secret.
std::string quoted(const Field& field);

}  // namespace trainjobc::k8s
