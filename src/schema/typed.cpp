// SPDX-License-Identifier: Apache-2.0

#include "schema/typed.h"

#include <fmt/format.h>

#include <chrono>
#include <vector>

#include "base/text/text.h"
#include "k8s/quantity.h"
#include "schema/validate.h"
#include "yaml/changes.h"

namespace trainjobc::schema {
namespace {

using yaml::Entry;
using yaml::Kind;
using yaml::Maker;
using yaml::Node;

// Reads a default: JSON without blanks, and without escapes in its strings.
class DefaultReader {
 public:
  DefaultReader(const Maker& make, yaml::Origin origin) : make_(make), origin_(origin) {}

  // Removes the value from the beginning of `json`.
  const Node* read(std::string_view& json) const {
    if (json.starts_with('{')) return map(json);
    if (json.starts_with('[')) return list(json);
    if (json.starts_with('"')) return make_.string(text(json), origin_);
    const std::string_view word = take(json, json.find_first_of(",]}"));
    if (word == "true" || word == "false") return make_.boolean(word == "true", origin_);
    return make_.plain(Kind::Int, word, origin_);
  }

 private:
  static std::string_view take(std::string_view& json, size_t length) {
    const std::string_view taken = json.substr(0, length);
    json.remove_prefix(taken.size());
    return taken;
  }

  static std::string_view text(std::string_view& json) {
    const std::string_view quoted = take(json, json.find('"', 1) + 1);
    return quoted.substr(1, quoted.size() - 2);
  }

  const Node* map(std::string_view& json) const {
    std::vector<Entry> entries;
    for (take(json, 1); !json.starts_with('}');) {
      const std::string_view key = text(json);
      take(json, 1);  // the colon
      entries.push_back({key, read(json), {}});
      if (json.starts_with(',')) take(json, 1);
    }
    take(json, 1);
    return make_.map(entries, origin_);
  }

  const Node* list(std::string_view& json) const {
    std::vector<const Node*> items;
    for (take(json, 1); !json.starts_with(']');) {
      items.push_back(read(json));
      if (json.starts_with(',')) take(json, 1);
    }
    take(json, 1);
    return make_.list(items, origin_);
  }

  const Maker& make_;
  yaml::Origin origin_;
};

const Node* default_map(const Node& map, const Schema& schema, const Maker& make) {
  yaml::ChangedMap changed(map);
  for (const Entry& entry : map.entries()) {
    const Node* value = entry.value;
    const bool is_plain = value->is_scalar() && !value->is_null();
    const Schema* child = is_plain ? nullptr : schema.child(entry.key);
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

}  // namespace

const Node* default_node(const Schema& schema, const Maker& make, yaml::Origin origin) {
  std::string_view json = schema.default_json;
  return apply_defaults(*DefaultReader(make, origin).read(json), schema, make);
}

const Node* apply_defaults(const Node& node, const Schema& schema, const Maker& make) {
  if (node.is_map() && schema.type == Type::Object) return default_map(node, schema, make);
  if (node.is_list() && schema.type == Type::Array && schema.items)
    return yaml::with_each(node, make,
                           [&](const Node& item) { return apply_defaults(item, *schema.items, make); });
  return &node;
}

namespace {

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

}  // namespace

const Node* as_decoded(const Node& node, const Schema& schema, const Maker& make) {
  if (node.is_scalar()) return as_typed(node, schema, make);
  if (node.is_list()) {
    if (!schema.items) return &node;
    return yaml::with_each(node, make,
                           [&](const Node& item) { return as_decoded(item, *schema.items, make); });
  }
  const bool is_open = schema.properties.empty() && !schema.additional;
  return is_open ? &node : decoded_map(node, schema, make);
}

namespace {

const Node* typed_quantity(const Node& node, const Maker& make) {
  if (!node.is_string() && !node.is_number()) return &node;
  const auto quantity = k8s::Quantity::parse(node.text());
  if (!quantity) return &node;
  const std::string text = quantity->to_string();
  if (node.is_string() && text == node.text()) return &node;
  return make.copied(text, node.origin());
}

int digits(std::string_view text, size_t at, size_t count) {
  return static_cast<int>(base::read_integer(text.substr(at, count)).value_or(0));
}

// A time as Kubernetes writes it: UTC, whole seconds.
const Node* typed_time(const Node& node, const Maker& make) {
  using namespace std::chrono;
  const std::string_view text = node.text();
  if (!node.is_string() || !matches_pattern("date-time", text)) return &node;
  const year_month_day date(year(digits(text, 0, 4)), month(static_cast<unsigned>(digits(text, 5, 2))),
                            day(static_cast<unsigned>(digits(text, 8, 2))));
  auto time = sys_days(date) + hours(digits(text, 11, 2)) + minutes(digits(text, 14, 2)) +
              seconds(digits(text, 17, 2));
  if (text.back() != 'Z') {
    const size_t zone = text.size() - 6;
    const auto offset = hours(digits(text, zone + 1, 2)) + minutes(digits(text, zone + 4, 2));
    time += text[zone] == '+' ? -offset : offset;
  }
  const year_month_day utc(floor<days>(time));
  const hh_mm_ss clock(time - floor<days>(time));
  const std::string out =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(utc.year()),
                  static_cast<unsigned>(utc.month()), static_cast<unsigned>(utc.day()), clock.hours().count(),
                  clock.minutes().count(), clock.seconds().count());
  return out == text ? &node : make.copied(out, node.origin());
}

// Go's value for a null, or for an absent field that is always written; nullptr for a list or a map, which
// becomes a null.
const Node* zero_value(const Schema& schema, const Maker& make, yaml::Origin origin) {
  if (schema.quantity) return make.string("0", origin);
  switch (schema.type) {
    case Type::Boolean: return make.boolean(false, origin);
    case Type::Integer:
    case Type::Number:
    case Type::IntOrString: return make.integer(0, origin);
    case Type::String: return schema.format == Format::DateTime ? nullptr : make.string("", origin);
    case Type::Object:
      return schema.properties.empty() ? nullptr : as_typed(*make.map({}, origin), schema, make);
    case Type::Array:
    case Type::Any: return nullptr;
  }
  return nullptr;
}

bool is_dropped(const Node& value, const Property& property) {
  if (value.is_null()) return true;
  if (property.wire == Wire::OmitEmpty) return value.is_empty_value();
  // Go writes it, but the apply configurations that the controllers send drop it.
  return property.wire == Wire::Null && !value.is_scalar() && value.size() == 0 &&
         property.schema->properties.empty();
}

// Adds the fields that Go always writes to `map`, which is a struct.
void add_zero_fields(const Node& map, const Schema& schema, const Maker& make, yaml::ChangedMap& changed) {
  for (const Property& property : schema.properties) {
    if (property.wire != Wire::Struct && property.wire != Wire::Always) continue;
    const Node* given = map.get(property.name);
    if (given && !given->is_null()) continue;
    const Node* zero = zero_value(*property.schema, make, make.made("zero-value", {&map}));
    if (zero) changed.set({property.name, zero, {}});
  }
}

const Node* typed_struct(const Node& map, const Schema& schema, const Maker& make) {
  yaml::ChangedMap changed(map);
  for (const Entry& entry : map.entries()) {
    const Property* property = schema.property(entry.key);
    const Node* value = property ? as_typed(*entry.value, *property->schema, make) : nullptr;
    changed.take(value && !is_dropped(*value, *property) ? value : nullptr);
  }
  add_zero_fields(map, schema, make, changed);
  return changed.node(make);
}

// The value of a dictionary's entry or of a list's item.
const Node* typed_element(const Node& node, const Schema& schema, const Maker& make) {
  const Node* zero = node.is_null() ? zero_value(schema, make, node.origin()) : nullptr;
  return zero ? zero : as_typed(node, schema, make);
}

const Node* typed_dictionary(const Node& map, const Schema& values, const Maker& make) {
  yaml::ChangedMap changed(map);
  for (const Entry& entry : map.entries()) changed.take(typed_element(*entry.value, values, make));
  return changed.node(make);
}

}  // namespace

const Node* with_zero_values(const Node& node, const Schema& schema, const Maker& make) {
  if (node.is_list() && schema.items) {
    return yaml::with_each(node, make, [&](const Node& item) {
      const Node* zero = item.is_null() ? zero_value(*schema.items, make, item.origin()) : nullptr;
      return zero ? zero : with_zero_values(item, *schema.items, make);
    });
  }
  if (!node.is_map()) return &node;
  yaml::ChangedMap changed(node);
  for (const Entry& entry : node.entries()) {
    const Schema* child = entry.value->is_scalar() ? nullptr : schema.child(entry.key);
    changed.take(child ? with_zero_values(*entry.value, *child, make) : entry.value);
  }
  add_zero_fields(node, schema, make, changed);
  return changed.node(make);
}

const Node* as_typed(const Node& node, const Schema& schema, const Maker& make) {
  if (schema.quantity) return typed_quantity(node, make);
  if (schema.format == Format::DateTime) return typed_time(node, make);
  if (schema.type == Type::Object && node.is_map()) {
    if (!schema.properties.empty()) return typed_struct(node, schema, make);
    return schema.additional ? typed_dictionary(node, *schema.additional, make) : &node;
  }
  if (schema.type == Type::Array && node.is_list() && schema.items)
    return yaml::with_each(node, make,
                           [&](const Node& item) { return typed_element(item, *schema.items, make); });
  return &node;
}

}  // namespace trainjobc::schema
