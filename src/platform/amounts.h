// SPDX-License-Identifier: Apache-2.0

// What a pod requests, and what it is limited to, as quotas and LimitRanges count it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "k8s/quantity.h"
#include "platform/subject.h"
#include "policy/runtime_info.h"
#include "yaml/node.h"

namespace trainjobc::platform {

using policy::Amounts;

// Limits of a whole pod. Its requests are policy::pod_requests.
Amounts pod_limits(const yaml::Node& pod_spec);
// An amount that Kubernetes can read; nullopt for others, which are refused elsewhere.
std::optional<k8s::Quantity> amount_of(const yaml::Node* value);

// A finding on a pod of `owner`. `culprit` is part of the pod; if it is computed from nothing in a file, the
// finding is at the object's name.
base::Diagnostic pod_finding(std::string_view rule, const Subject& pod, const std::string& owner,
                             std::string message, const yaml::Node* culprit, std::string hint = "");

// The first container with an amount of the resource in "requests" or "limits", and that amount; nullptr if
// there is none.
const yaml::Node* find_amount(const yaml::Node& pod_spec, std::string_view list, std::string_view resource);

}  // namespace trainjobc::platform
