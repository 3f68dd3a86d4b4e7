// SPDX-License-Identifier: Apache-2.0

// LimitRanges: what they fill in in a pod, and what they refuse.
// Source of the rules: k8s.io/kubernetes 1.36, plugin/pkg/admission/limitranger,
// pkg/apis/core/v1/defaults.go.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "platform/subject.h"
#include "yaml/node.h"

namespace trainjobc::platform {

// The pod with the requests and limits that LimitRanges of its namespace give to containers without them.
const yaml::Node* with_limit_defaults(const yaml::Node& pod, std::span<const yaml::Node* const> ranges,
                                      const yaml::Maker& make);

// The same for a pod that is not stored: without the requests that follow from its own limits.
const yaml::Node* with_limits_only(const yaml::Node& pod, std::span<const yaml::Node* const> ranges,
                                   const yaml::Maker& make);

// The rule that the values have which a LimitRange gives.
inline constexpr std::string_view kLimitDefault = "limit-range/default";

// What the LimitRanges of its namespace refuse in a pod that has their defaults.
void check_limits(const Subject& pod, std::span<const yaml::Node* const> ranges, const std::string& owner,
                  base::Diagnostics& found);

}  // namespace trainjobc::platform
