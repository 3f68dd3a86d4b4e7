// SPDX-License-Identifier: Apache-2.0

#include "schema/decoded.h"

#include "schema/typed.h"
#include "yaml/changes.h"

namespace trainjobc::schema {
namespace {

using yaml::Entry;
using yaml::Maker;
using yaml::Node;

const Node* decoded_map(const Node& map, const Schema& schema, const Maker& make) {
  yaml::ChangedMap changed(map);
  for (const Entry& entry : map.entries()) {
    const Property* property = schema.property(entry.key);
    const Schema* child = property ? property->schema : schema.additional;
    const bool is_dropped = !child || (property && entry.value->is_null());
    changed.take(is_dropped ? nullptr : as_decoded(*entry.value, *child, make));
  }
  return changed.node(make);
}

const Node* decoded_list(const Node& list, const Schema& items, const Maker& make) {
  yaml::ChangedList changed(list);
  for (const Node* item : list.items()) changed.take(as_decoded(*item, items, make));
  return changed.node(make);
}

}  // namespace

const Node* as_decoded(const Node& node, const Schema& schema, const Maker& make) {
  if (node.is_scalar()) return as_typed(node, schema, make);
  if (node.is_list()) return schema.items ? decoded_list(node, *schema.items, make) : &node;
  const bool is_open = schema.properties.empty() && !schema.additional;
  return is_open ? &node : decoded_map(node, schema, make);
}

}  // namespace trainjobc::schema
