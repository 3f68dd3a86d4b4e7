// SPDX-License-Identifier: Apache-2.0

#include "schema/typed.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <vector>

#include "k8s/quantity.h"
#include "schema/pattern.h"

namespace trainjobc::schema {
namespace {

using yaml::Entry;
using yaml::Maker;
using yaml::Node;

const Node* typed_quantity(const Node& node, const Maker& make) {
  if (!node.is_string() && !node.is_number()) return &node;
  const auto quantity = k8s::Quantity::parse(node.text());
  if (!quantity) return &node;
  const std::string text = quantity->to_string();
  if (node.is_string() && text == node.text()) return &node;
  return make.copied(text, node.origin());
}

int digits(std::string_view text, size_t at, size_t count) {
  int value = 0;
  std::from_chars(text.data() + at, text.data() + at + count, value);
  return value;
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
// become a null.
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
  // Written by Go, but dropped by the apply configurations that the controllers send.
  return property.wire == Wire::Null && !value.is_scalar() && value.size() == 0 &&
         property.schema->properties.empty();
}

// Adds the fields that Go always writes to `map`, a struct; returns whether any were missing.
bool add_zero_fields(const Node& map, const Schema& schema, const Maker& make, std::vector<Entry>& entries) {
  bool added = false;
  for (const Property& property : schema.properties) {
    if (property.wire != Wire::Struct && property.wire != Wire::Always) continue;
    const Node* given = map.get(property.name);
    if (given && !given->is_null()) continue;
    const Node* zero = zero_value(*property.schema, make, make.made("zero-value", {&map}));
    if (!zero) continue;
    std::erase_if(entries, [&](const Entry& entry) { return entry.key == property.name; });
    entries.push_back({property.name, zero, {}});
    added = true;
  }
  return added;
}

const Node* typed_struct(const Node& map, const Schema& schema, const Maker& make) {
  std::vector<Entry> entries;
  entries.reserve(map.size() + 2);
  bool changed = false;
  for (const Entry& entry : map.entries()) {
    const Property* property = schema.property(entry.key);
    const Node* value = property ? as_typed(*entry.value, *property->schema, make) : nullptr;
    if (!value || is_dropped(*value, *property)) {
      changed = true;
      continue;
    }
    changed = changed || value != entry.value;
    entries.push_back({entry.key, value, entry.key_origin});
  }
  changed = add_zero_fields(map, schema, make, entries) || changed;
  return changed ? make.map(entries, map.origin()) : &map;
}

// A value of a dictionary or an item of a list.
const Node* typed_element(const Node& node, const Schema& schema, const Maker& make) {
  const Node* zero = node.is_null() ? zero_value(schema, make, node.origin()) : nullptr;
  return zero ? zero : as_typed(node, schema, make);
}

const Node* typed_dictionary(const Node& map, const Schema& values, const Maker& make) {
  std::vector<Entry> entries;
  entries.reserve(map.size());
  bool changed = false;
  for (const Entry& entry : map.entries()) {
    const Node* value = typed_element(*entry.value, values, make);
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
    values.push_back(typed_element(*item, items, make));
    changed = changed || values.back() != item;
  }
  return changed ? make.list(values, list.origin()) : &list;
}

}  // namespace

const Node* with_zero_values(const Node& node, const Schema& schema, const Maker& make) {
  if (node.is_list() && schema.items) {
    std::vector<const Node*> items(node.items().begin(), node.items().end());
    for (const Node*& item : items) {
      const Node* zero = item->is_null() ? zero_value(*schema.items, make, item->origin()) : nullptr;
      item = zero ? zero : with_zero_values(*item, *schema.items, make);
    }
    return std::ranges::equal(items, node.items()) ? &node : make.list(items, node.origin());
  }
  if (!node.is_map()) return &node;
  std::vector<Entry> entries(node.entries().begin(), node.entries().end());
  bool changed = false;
  for (Entry& entry : entries) {
    const Property* property = schema.property(entry.key);
    const Schema* child = property ? property->schema : schema.additional;
    const Node* given = entry.value;
    if (child) entry.value = with_zero_values(*given, *child, make);
    changed = changed || entry.value != given;
  }
  changed = add_zero_fields(node, schema, make, entries) || changed;
  return changed ? make.map(entries, node.origin()) : &node;
}

const Node* as_typed(const Node& node, const Schema& schema, const Maker& make) {
  if (schema.quantity) return typed_quantity(node, make);
  if (schema.format == Format::DateTime) return typed_time(node, make);
  if (schema.type == Type::Object && node.is_map()) {
    if (!schema.properties.empty()) return typed_struct(node, schema, make);
    return schema.additional ? typed_dictionary(node, *schema.additional, make) : &node;
  }
  if (schema.type == Type::Array && node.is_list() && schema.items)
    return typed_list(node, *schema.items, make);
  return &node;
}

}  // namespace trainjobc::schema
