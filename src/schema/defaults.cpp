// SPDX-License-Identifier: Apache-2.0

#include "schema/defaults.h"

#include "yaml/changes.h"

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
  yaml::ChangedMap changed(map);
  for (const Entry& entry : map.entries()) {
    const Node* value = entry.value;
    const bool is_plain = value->is_scalar() && !value->is_null();
    const Schema* child = is_plain ? nullptr : schema_of(schema, entry.key);
    if (child && value->is_null() && child->type != Type::Any) {
      value = child->default_json.empty() ? nullptr
                                          : default_node(*child, make, make.made("default", {entry.value}));
    } else if (child) {
      value = apply_defaults(*value, *child, make);
    }
    changed.take(value);
  }
  for (const Property& property : schema.properties) {
    if (property.schema->default_json.empty() || map.get(property.name)) continue;
    changed.set({property.name, default_node(*property.schema, make, make.made("default", {&map})), {}});
  }
  return changed.node(make);
}

const Node* default_list(const Node& list, const Schema& items, const Maker& make) {
  yaml::ChangedList changed(list);
  for (const Node* item : list.items()) changed.take(apply_defaults(*item, items, make));
  return changed.node(make);
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
