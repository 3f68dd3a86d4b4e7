// SPDX-License-Identifier: Apache-2.0

// Fields by key or path, for callers that need the value and not the node.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "yaml/node.h"

namespace trainjobc::yaml {

// A scalar's text, "null" for a null; "" if there is no scalar.
inline std::string_view text_of(const Node* node) {
  return node ? node->text() : std::string_view();
}
inline std::string_view text_at(const Node& map, std::string_view key) {
  return text_of(map.get(key));
}
inline std::string_view text_at(const Node& root, std::initializer_list<std::string_view> path) {
  return text_of(root.at(path));
}

// The same, but "" for a null.
inline std::string_view value_at(const Node& root, std::initializer_list<std::string_view> path) {
  const Node* node = root.at(path);
  return node && !node->is_null() ? node->text() : std::string_view();
}

// The same, but "" for anything but a string.
inline std::string_view string_of(const Node* node) {
  return node && node->is_string() ? node->text() : std::string_view();
}
inline std::string_view string_at(const Node& map, std::string_view key) {
  return string_of(map.get(key));
}
inline std::string_view string_at(const Node& root, std::initializer_list<std::string_view> path) {
  return string_of(root.at(path));
}

// Empty if there is no list.
inline std::span<const Node* const> items_of(const Node* node) {
  return node ? node->items() : std::span<const Node* const>();
}
inline std::vector<const Node*> copied_items(const Node* node) {
  const auto items = items_of(node);
  return {items.begin(), items.end()};
}
inline std::span<const Node* const> items_at(const Node& map, std::string_view key) {
  return items_of(map.get(key));
}
inline std::span<const Node* const> items_at(const Node& root, std::initializer_list<std::string_view> path) {
  return items_of(root.at(path));
}

}  // namespace trainjobc::yaml
