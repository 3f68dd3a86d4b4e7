// SPDX-License-Identifier: Apache-2.0

#include "schema/decoded.h"

#include <vector>

#include "schema/typed.h"

namespace trainjobc::schema {
namespace {

using yaml::Entry;
using yaml::Maker;
using yaml::Node;

const Node* decoded_map(const Node& map, const Schema& schema, const Maker& make) {
  std::vector<Entry> entries;
  entries.reserve(map.size());
  bool changed = false;
  for (const Entry& entry : map.entries()) {
    const Property* property = schema.property(entry.key);
    const Schema* child = property ? property->schema : schema.additional;
    if (!child || (property && entry.value->is_null())) {
      changed = true;
      continue;
    }
    const Node* value = as_decoded(*entry.value, *child, make);
    changed = changed || value != entry.value;
    entries.push_back({entry.key, value, entry.key_origin});
  }
  return changed ? make.map(entries, map.origin()) : &map;
}

const Node* decoded_list(const Node& list, const Schema& items, const Maker& make) {
  std::vector<const Node*> values;
  values.reserve(list.size());
  bool changed = false;
  for (const Node* item : list.items()) {
    values.push_back(as_decoded(*item, items, make));
    changed = changed || values.back() != item;
  }
  return changed ? make.list(values, list.origin()) : &list;
}

}  // namespace

const Node* as_decoded(const Node& node, const Schema& schema, const Maker& make) {
  if (node.is_scalar()) return as_typed(node, schema, make);
  if (node.is_list()) return schema.items ? decoded_list(node, *schema.items, make) : &node;
  const bool is_open = schema.properties.empty() && !schema.additional;
  return is_open ? &node : decoded_map(node, schema, make);
}

}  // namespace trainjobc::schema
