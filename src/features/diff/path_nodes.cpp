// SPDX-License-Identifier: Apache-2.0

#include "features/diff/path_nodes.h"

#include <algorithm>

namespace trainjobc::diff {
namespace {

using schema::Step;
using yaml::Node;

const Node* item_at(const Node& list, size_t index) {
  return index < list.size() ? list.items()[index] : nullptr;
}

const Node* item_like(const Node& list, const Step& step) {
  const bool has_keys = step.schema && step.schema->list_type == schema::ListType::Map;
  if (!has_keys) return item_at(list, step.index);
  const std::string keys = schema::item_keys(*step.item, *step.schema);
  const auto found = std::ranges::find_if(
      list.items(), [&](const Node* item) { return schema::item_keys(*item, *step.schema) == keys; });
  return found != list.items().end() ? *found : nullptr;
}

template <class Child>
std::vector<const Node*> walk(const Node& root, const schema::FieldPath& path, Child child) {
  std::vector<const Node*> nodes{&root};
  for (const Step& step : path) {
    const Node* next = child(*nodes.back(), step);
    if (!next) break;
    nodes.push_back(next);
  }
  return nodes;
}

}  // namespace

std::vector<const Node*> nodes_along(const Node& root, const schema::FieldPath& path, Side side) {
  return walk(root, path, [&](const Node& parent, const Step& step) {
    if (!step.is_item()) return parent.get(step.key);
    return item_at(parent, side == Side::Live ? step.live_index : step.index);
  });
}

std::vector<const Node*> nodes_like(const Node& root, const schema::FieldPath& path) {
  return walk(root, path, child_like);
}

const Node* child_like(const Node& parent, const Step& step) {
  return step.is_item() ? item_like(parent, step) : parent.get(step.key);
}

}  // namespace trainjobc::diff
