// SPDX-License-Identifier: Apache-2.0

// Which requests the rules and selectors of an admission policy or its binding match.
// Source of the rules: k8s.io/apiserver 1.36, pkg/admission/plugin/webhook/predicates.
#pragma once

#include <cstdint>

#include "platform/subject.h"
#include "yaml/node.h"

namespace trainjobc::platform {

enum class Match : uint8_t {
  No,
  Yes,
  Unknown,  // the labels of the namespace decide it, and the inputs don't have them
};

// Whether `resources`, a matchConstraints or matchResources, matches the creation of the object. `ns` is its
// Namespace; nullptr if the inputs have none.
Match match_creation(const yaml::Node& resources, const Subject& subject, const yaml::Node* ns);

// Whether a label selector matches. `labels` may be nullptr.
bool match_labels(const yaml::Node& selector, const yaml::Node* labels);

}  // namespace trainjobc::platform
