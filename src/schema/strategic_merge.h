// SPDX-License-Identifier: Apache-2.0

// Strategic merge patch, driven by the patch tags of the schema tables.
// Source of the rules: k8s.io/apimachinery/pkg/util/strategicpatch.
#pragma once

#include <string>
#include <variant>

#include "schema/schema.h"
#include "yaml/node.h"

namespace trainjobc::schema {

struct MergeError {
  std::string message;
  const yaml::Node* culprit = nullptr;  // a node of the patch; always set
  std::string hint;                     // what to write instead; "" if the message says so already
};

using MergeResult = std::variant<const yaml::Node*, MergeError>;

// Applies `patch` to `original`. Maps merge key by key; lists merge by their patchMergeKey, or are replaced
// if they have no merge strategy; elements named by the patch come before the other elements that follow them
// in `original`. Supports $patch: replace|delete, $retainKeys, $deleteFromPrimitiveList/… and
// $setElementOrder/…; a null removes its key. Every leaf keeps its origin. `original` may be nullptr. The
// result equals Go's, element by element. If Go's result is random (a list beside its
// $deleteFromPrimitiveList in one map), the patch's order of keys decides.
MergeResult strategic_merge(const yaml::Node* original, const yaml::Node& patch, const Schema& schema,
                            const yaml::Maker& make);

}  // namespace trainjobc::schema
