// SPDX-License-Identifier: Apache-2.0

// Selectors, taints and affinity, as Kubernetes matches them.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "yaml/node.h"

namespace trainjobc::plan {

// Whether labels fit a label selector (matchLabels, matchExpressions). `labels` may be nullptr.
bool matches_selector(const yaml::Node& selector, const yaml::Node* labels);
// The keys that the selector asks for.
std::set<std::string, std::less<>> keys_of_selector(const yaml::Node& selector);

// Whether a node with these labels is one that the pod's nodeSelector and required node affinity accept, as
// far as they are about `keys`. `labels` may be nullptr.
bool accepts_node(const yaml::Node& pod_spec, const yaml::Node* labels,
                  const std::set<std::string, std::less<>>& keys);

// The first taint of NoSchedule or NoExecute that none of the tolerations covers, as "key=value:effect"; ""
// if there is none. Each may be nullptr.
std::string untolerated_taint(const yaml::Node* taints, const yaml::Node* tolerations_of_pod,
                              const yaml::Node* tolerations_of_flavor);

}  // namespace trainjobc::plan
