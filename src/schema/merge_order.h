// SPDX-License-Identifier: Apache-2.0

// Lists under strategic merge: what counts as the same element, and the order that a merged list gets.
// Source of the rules: k8s.io/apimachinery/pkg/util/strategicpatch, including its oddities.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/strategic_merge.h"
#include "yaml/node.h"

namespace trainjobc::schema {

using Items = std::vector<const yaml::Node*>;
using ItemSpan = std::span<const yaml::Node* const>;

// Ends the merge: thrown by the functions of strategic merge, caught by strategic_merge().
struct MergeFailure {
  MergeError error;
};

[[noreturn]] void fail_merge(std::string message, const yaml::Node& culprit, std::string hint = "");

// How the elements of one list are identified. `culprit` is the node of the patch to name in an error.
struct ElementIdentity {
  std::string_view merge_key;  // "" for a list of scalars
  const yaml::Node* culprit = nullptr;

  // Fails for two lists or two maps, which Go can't compare.
  bool same_value(const yaml::Node& a, const yaml::Node& b) const;
  // The element's merge key; fails if it has none. An element of a list of scalars is its own key.
  const yaml::Node& key_of(const yaml::Node& element) const;
  bool contains(ItemSpan items, const yaml::Node& element) const;
};

// The elements of `merged`: those in `wanted`, in that order, merged with the others, in the order of
// `before`. Of the two next candidates the wanted one goes first, unless both are in `before` and the other
// one is earlier there.
Items in_merged_order(const Items& merged, ItemSpan wanted, ItemSpan before, const ElementIdentity& identity);

// $setElementOrder: fails unless `order` names every element of `patch`, in that order.
void check_element_order(ItemSpan patch, ItemSpan order, const ElementIdentity& identity);

}  // namespace trainjobc::schema
