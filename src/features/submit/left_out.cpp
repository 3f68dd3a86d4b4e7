// SPDX-License-Identifier: Apache-2.0

#include "features/submit/left_out.h"

#include <span>

namespace trainjobc::submit {
namespace {

using yaml::Maker;
using yaml::Node;

// `node` without the field at `path`; `node` itself if there is no such field or it is an item of a list.
const Node* without(const Node* node, std::span<const schema::Step> path, const Maker& make) {
  const schema::Step& step = path.front();
  if (!step.is_item()) {
    const Node* value = node->is_map() ? node->get(step.key) : nullptr;
    if (!value) return node;
    return make.with(node, step.key, path.size() > 1 ? without(value, path.subspan(1), make) : nullptr);
  }
  if (!node->is_list() || step.index >= node->size() || path.size() == 1) return node;
  std::vector<const Node*> items(node->items().begin(), node->items().end());
  items[step.index] = without(items[step.index], path.subspan(1), make);
  return make.list(items, node->origin());
}

}  // namespace

const Node* without_others_fields(const Node& rendered, const cluster::ObjectDiff& differences,
                                  const Maker& make, std::vector<LeftOut>& left_out) {
  const Node* result = &rendered;
  for (const cluster::Difference& field : differences.differences) {
    if (field.kind != cluster::DifferenceKind::Ignored || !field.rendered) continue;
    const Node* less = without(result, field.path, make);
    if (less == result) continue;
    result = less;
    left_out.push_back({field.name, field.manager});
  }
  return result;
}

}  // namespace trainjobc::submit
