#include "schema/typed.h"

#include <vector>

#include "yaml/quantity.h"

namespace trainjobc::schema {
namespace {

using yaml::Entry;
using yaml::Kind;
using yaml::Maker;
using yaml::Node;

const Node* typed_quantity(const Node& node, const Maker& make) {
  if (!node.is_string() && !node.is_number()) return &node;
  const auto quantity = yaml::Quantity::parse(node.text());
  if (!quantity) return &node;
  const std::string text = quantity->to_string();
  if (node.is_string() && text == node.text()) return &node;
  return make.copied(text, node.origin());
}

// The zero value of a field that is always written; nullptr for those that are left out (or written as null).
const Node* zero_value(const Property& property, const Maker& make, yaml::Origin origin) {
  if (property.wire == Wire::Struct) return as_typed(*make.map({}, origin), *property.schema, make);
  if (property.wire != Wire::Always) return nullptr;
  if (property.schema->quantity) return make.string("0", origin);
  switch (property.schema->type) {
    case Type::Boolean: return make.boolean(false, origin);
    case Type::Integer:
    case Type::IntOrString: return make.integer(0, origin);
    case Type::String: return make.string("", origin);
    default: return nullptr;
  }
}

bool is_dropped(const Node& value, Wire wire) {
  if (value.is_null()) return true;
  return (wire == Wire::OmitEmpty || wire == Wire::Null) && value.is_empty_value();
}

const Node* typed_struct(const Node& map, const Schema& schema, const Maker& make) {
  std::vector<Entry> entries;
  entries.reserve(map.size() + 2);
  bool changed = false;
  for (const Entry& entry : map.entries()) {
    const Property* property = schema.property(entry.key);
    const Node* value = property ? as_typed(*entry.value, *property->schema, make) : nullptr;
    if (!value || is_dropped(*value, property->wire)) {
      changed = true;
      continue;
    }
    changed = changed || value != entry.value;
    entries.push_back({entry.key, value, entry.key_origin});
  }
  for (const Property& property : schema.properties) {
    if (property.wire != Wire::Struct && property.wire != Wire::Always) continue;
    const Node* given = map.get(property.name);
    if (given && !given->is_null()) continue;
    const Node* zero = zero_value(property, make, make.made("zero-value", {&map}));
    if (!zero) continue;
    changed = true;
    entries.push_back({property.name, zero, {}});
  }
  return changed ? make.map(entries, map.origin()) : &map;
}

const Node* typed_dictionary(const Node& map, const Schema& values, const Maker& make) {
  std::vector<Entry> entries;
  entries.reserve(map.size());
  bool changed = false;
  for (const Entry& entry : map.entries()) {
    const Node* value = as_typed(*entry.value, values, make);
    changed = changed || value != entry.value;
    entries.push_back({entry.key, value, entry.key_origin});
  }
  return changed ? make.map(entries, map.origin()) : &map;
}

const Node* typed_list(const Node& list, const Schema& items, const Maker& make) {
  std::vector<const Node*> values;
  values.reserve(list.size());
  bool changed = false;
  for (const Node* item : list.items()) {
    values.push_back(as_typed(*item, items, make));
    changed = changed || values.back() != item;
  }
  return changed ? make.list(values, list.origin()) : &list;
}

}  // namespace

const Node* as_typed(const Node& node, const Schema& schema, const Maker& make) {
  if (schema.quantity) return typed_quantity(node, make);
  if (schema.type == Type::Object && node.is_map()) {
    if (!schema.properties.empty()) return typed_struct(node, schema, make);
    return schema.additional ? typed_dictionary(node, *schema.additional, make) : &node;
  }
  if (schema.type == Type::Array && node.is_list() && schema.items) return typed_list(node, *schema.items, make);
  return &node;
}

}  // namespace trainjobc::schema
