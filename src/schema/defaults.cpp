// SPDX-License-Identifier: Apache-2.0

#include "schema/defaults.h"

#include <vector>

namespace trainjobc::schema {
namespace {

using yaml::Entry;
using yaml::Kind;
using yaml::Maker;
using yaml::Node;

const Schema* schema_of(const Schema& map, std::string_view key) {
  const Property* property = map.property(key);
  return property ? property->schema : map.additional;
}

const Node* default_map(const Node& map, const Schema& schema, const Maker& make) {
  std::vector<Entry> entries;
  entries.reserve(map.size());
  bool changed = false;
  for (const Entry& entry : map.entries()) {
    const Schema* child = schema_of(schema, entry.key);
    const Node* value = entry.value;
    if (child && value->is_null() && child->type != Type::Any) {
      changed = true;
      if (child->default_json.empty()) continue;
      value = default_node(*child, make, make.made("default", {entry.value}));
    } else if (child) {
      value = apply_defaults(*value, *child, make);
    }
    changed = changed || value != entry.value;
    entries.push_back({entry.key, value, entry.key_origin});
  }
  for (const Property& property : schema.properties) {
    if (property.schema->default_json.empty() || map.get(property.name)) continue;
    changed = true;
    entries.push_back(
        {property.name, default_node(*property.schema, make, make.made("default", {&map})), {}});
  }
  return changed ? make.map(entries, map.origin()) : &map;
}

const Node* default_list(const Node& list, const Schema& items, const Maker& make) {
  std::vector<const Node*> values;
  values.reserve(list.size());
  bool changed = false;
  for (const Node* item : list.items()) {
    values.push_back(apply_defaults(*item, items, make));
    changed = changed || values.back() != item;
  }
  return changed ? make.list(values, list.origin()) : &list;
}

}  // namespace

const Node* default_node(const Schema& schema, const Maker& make, yaml::Origin origin) {
  const std::string_view json = schema.default_json;
  if (json.front() == '"') return make.string(json.substr(1, json.size() - 2), origin);
  if (json == "true" || json == "false") return make.boolean(json == "true", origin);
  if (json == "{}") return apply_defaults(*make.map({}, origin), schema, make);
  if (json == "[]") return make.list({}, origin);
  return make.plain(Kind::Int, json, origin);
}

const Node* apply_defaults(const Node& node, const Schema& schema, const Maker& make) {
  if (node.is_map() && schema.type == Type::Object) return default_map(node, schema, make);
  if (node.is_list() && schema.type == Type::Array && schema.items)
    return default_list(node, *schema.items, make);
  return &node;
}

}  // namespace trainjobc::schema
