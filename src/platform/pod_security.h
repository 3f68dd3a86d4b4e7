// SPDX-License-Identifier: Apache-2.0

// Pod Security: the levels that labels of a namespace ask for, and what a pod has that they don't allow.
// Source of the rules: k8s.io/pod-security-admission 0.36, package policy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yaml/node.h"

namespace trainjobc::platform {

enum class SecurityLevel : uint8_t { Privileged, Baseline, Restricted };

// Pods that Pod Security leaves alone, named as in the PodSecurityConfiguration of an API server.
struct SecurityExemptions {
  std::vector<std::string> usernames;
  std::vector<std::string> runtime_classes;
  std::vector<std::string> namespaces;

  // Whether they have a pod that a Job's controller creates.
  bool have(const yaml::Node& pod, std::string_view ns) const;
};

// "restricted"; nullopt for other words.
std::optional<SecurityLevel> read_level(std::string_view text);
// The minor number of "v1.28"; of "latest" the newest that differs from the one before. nullopt for other
// texts.
std::optional<int> read_level_version(std::string_view text);

struct SecurityViolation {
  std::string_view check;               // as Pod Security calls it: "runAsNonRoot"
  std::string message;                  // "container \"node\" must set …"
  const yaml::Node* culprit = nullptr;  // what is wrong, or the container or spec that lacks something
  std::string hint;
};

// What the level of that version refuses in the pod.
std::vector<SecurityViolation> security_violations(const yaml::Node& pod, SecurityLevel level, int version);

}  // namespace trainjobc::platform
