// SPDX-License-Identifier: Apache-2.0

// The releases that the rules of this layer were taken from. For a newer release, change the row and run
// `make live` against it.
#pragma once

#include <array>
#include <string_view>

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

}  // namespace trainjobc::k8s
