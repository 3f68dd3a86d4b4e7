// SPDX-License-Identifier: Apache-2.0

// Collects what the API server would refuse; the ids of the rules.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "k8s/check/field.h"
#include "k8s/violations.h"

namespace trainjobc::k8s::job {

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
  explicit Report(k8s::Violations& violations) : violations_(&violations) {}

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
  k8s::Violations* violations_;
};

// "text", shortened if it is long; the value of a field, "***" if it is a secret.
std::string quoted(std::string_view text);
std::string quoted(const Field& field);

}  // namespace trainjobc::k8s::job
