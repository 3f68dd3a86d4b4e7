// SPDX-License-Identifier: Apache-2.0

#include "cel/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/text/text.h"
#include "cel/library/library.h"

namespace trainjobc::cel {
namespace {

constexpr size_t kMostBytes = size_t{1} << 26U;

constexpr std::array<std::string_view, 21> kTypeNames{"error",
                                                      "unknown",
                                                      "null_type",
                                                      "bool",
                                                      "int",
                                                      "uint",
                                                      "double",
                                                      "string",
                                                      "bytes",
                                                      "google.protobuf.Timestamp",
                                                      "google.protobuf.Duration",
                                                      "list",
                                                      "map",
                                                      "type",
                                                      "optional_type",
                                                      "kubernetes.Quantity",
                                                      "kubernetes.URL",
                                                      "net.IP",
                                                      "net.CIDR",
                                                      "kubernetes.Semver",
                                                      "kubernetes.NamedFormat"};

Value number_of(const yaml::Node& node, const schema::Schema* schema) {
  const bool is_double = schema && schema->type == schema::Type::Number;
  if (node.is_int() && !is_double) {
    if (const auto integer = node.as_int()) return Value::integer_of(*integer);
  }
  double real = 0;
  if (base::read_double(node.text(), real) == std::errc::result_out_of_range)
    real = node.text().starts_with('-') ? -HUGE_VAL : HUGE_VAL;
  return Value::real_of(real);
}

Value scalar_of(const yaml::Node& node, const schema::Schema* schema) {
  switch (node.kind()) {
    case yaml::Kind::Bool: return Value::boolean_of(node.as_bool() == true);
    case yaml::Kind::Int:
    case yaml::Kind::Float: return number_of(node, schema);
    case yaml::Kind::String: {
      const bool is_time = schema && schema->format == schema::Format::DateTime;
      if (const auto time = is_time ? read_timestamp(node.text()) : std::nullopt) return *time;
      return Value::text_of(node.text());
    }
    default: return {};
  }
}

// -1, 0 or 1, and 2 for a NaN.
int order(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return 2;
  return a < b ? -1 : a > b ? 1 : 0;
}

template <class T>
int order_of(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

int order_numbers(const Value& a, const Value& b) {
  if (a.kind == b.kind) {
    if (a.kind == Kind::Int) return order_of(a.integer, b.integer);
    if (a.kind == Kind::Uint) return order_of(a.natural, b.natural);
    return order(a.real, b.real);
  }
  if (a.kind > b.kind) {
    const int reverse = order_numbers(b, a);
    return reverse == 2 ? 2 : -reverse;
  }
  if (a.kind == Kind::Int && b.kind == Kind::Uint)
    return a.integer < 0 ? -1 : order_of(static_cast<uint64_t>(a.integer), b.natural);
  if (std::isnan(b.real)) return 2;
  if (a.kind == Kind::Int) {
    if (b.real < static_cast<double>(std::numeric_limits<int64_t>::min())) return 1;
    if (b.real > static_cast<double>(std::numeric_limits<int64_t>::max())) return -1;
    return order(static_cast<double>(a.integer), b.real);
  }
  if (b.real < 0) return 1;
  if (b.real > static_cast<double>(std::numeric_limits<uint64_t>::max())) return -1;
  return order(static_cast<double>(a.natural), b.real);
}

bool equal_lists(const Value& a, const Value& b, Context& context) {
  if (a.size != b.size) return false;
  for (size_t i = 0; i < a.size; ++i) {
    if (!is_equal(item_of(a, i), item_of(b, i), context)) return false;
  }
  return true;
}

bool equal_maps(const Value& a, const Value& b, Context& context) {
  if (a.size != b.size) return false;
  for (size_t i = 0; i < a.size; ++i) {
    const auto other = find_key(b, key_of(a, i));
    if (!other || !is_equal(entry_of(a, i), *other, context)) return false;
  }
  return true;
}

}  // namespace

Value Value::boolean_of(bool value) {
  Value out{.kind = Kind::Bool};
  out.boolean = value;
  return out;
}

Value Value::integer_of(int64_t value) {
  return {.kind = Kind::Int, .integer = value};
}

Value Value::natural_of(uint64_t value) {
  Value out{.kind = Kind::Uint};
  out.natural = value;
  return out;
}

Value Value::real_of(double value) {
  Value out{.kind = Kind::Double};
  out.real = value;
  return out;
}

Value Value::text_of(std::string_view text, Kind kind) {
  Value out{.kind = kind, .size = static_cast<uint32_t>(text.size())};
  out.data = text.data();
  return out;
}

Value Value::list_of(std::span<const Value> items) {
  static constexpr Value kNone{};
  Value out{.kind = Kind::List, .size = static_cast<uint32_t>(items.size())};
  out.items = items.empty() ? &kNone : items.data();
  return out;
}

Value Value::map_of(std::span<const Value> items) {
  Value out = list_of(items);
  out.kind = Kind::Map;
  out.size /= 2;
  return out;
}

Value Value::optional_of(const Value* value) {
  Value out{.kind = Kind::Optional, .size = value ? 1U : 0U};
  out.items = value;
  return out;
}

Value Value::object_of(Kind kind, const void* object) {
  Value out{.kind = kind};
  out.object = object;
  return out;
}

Value Value::timestamp_of(int64_t seconds, uint32_t nanoseconds) {
  return {.kind = Kind::Timestamp, .size = nanoseconds, .integer = seconds};
}

Value Value::duration_of(int64_t nanoseconds) {
  return {.kind = Kind::Duration, .integer = nanoseconds};
}

bool Context::allows(size_t bytes) {
  allocated_ += bytes;
  if (allocated_ > kMostBytes) spend_all();
  return !is_spent();
}

Value Context::fail(std::string_view message) {
  return Value::text_of(arena_->copy(message), Kind::Error);
}

Value Context::unknown(std::string_view name) {
  Value out{.kind = Kind::Unknown, .size = 1};
  out.names = arena_->make(arena_->copy(name));
  return out;
}

Value Context::text(std::string_view text, Kind kind) {
  return allows(text.size()) ? Value::text_of(arena_->copy(text), kind) : fail("");
}

Value Context::list(const std::vector<Value>& items) {
  return allows(items.size() * sizeof(Value)) ? Value::list_of(arena_->copy(items)) : fail("");
}

Value Context::map(const std::vector<Value>& items) {
  return allows(items.size() * sizeof(Value)) ? Value::map_of(arena_->copy(items)) : fail("");
}

Value Context::optional(const Value& value) {
  return Value::optional_of(arena_->make(value));
}

Value Context::quantity(Amount amount) {
  quantities_.push_back(std::move(amount));
  return Value::object_of(Kind::Quantity, &quantities_.back());
}

Value value_of(const yaml::Node& node, const schema::Schema* schema) {
  Value out;
  if (node.is_scalar()) {
    out = scalar_of(node, schema);
  } else {
    out.kind = node.is_list() ? Kind::List : Kind::Map;
    out.size = static_cast<uint32_t>(node.size());
    out.items = nullptr;
  }
  out.node = &node;
  out.schema = schema;
  return out;
}

Value item_of(const Value& list, size_t index) {
  if (list.items) return list.items[index];
  return value_of(*list.node->items()[index], list.schema ? list.schema->items : nullptr);
}

Value key_of(const Value& map, size_t index) {
  if (map.items) return map.items[2 * index];
  return Value::text_of(map.node->entries()[index].key);
}

Value entry_of(const Value& map, size_t index) {
  if (map.items) return map.items[2 * index + 1];
  const yaml::Entry& entry = map.node->entries()[index];
  return value_of(*entry.value, map.schema ? map.schema->child(entry.key) : nullptr);
}

std::optional<Value> find_key(const Value& map, const Value& key) {
  if (!map.items) {
    const yaml::Node* found = key.kind == Kind::String ? map.node->get(key.text()) : nullptr;
    if (!found) return std::nullopt;
    return value_of(*found, map.schema ? map.schema->child(key.text()) : nullptr);
  }
  for (size_t i = 0; i < map.size; ++i) {
    const Value& other = map.items[2 * i];
    if (compare(other, key) == 0) return map.items[2 * i + 1];
  }
  return std::nullopt;
}

Value merge_unknown(const Value& a, const Value& b, Context& context) {
  if (a.kind != Kind::Unknown) return b;
  if (b.kind != Kind::Unknown) return a;
  std::vector<std::string_view> names(a.names, a.names + a.size);
  for (const std::string_view name : b.unknown_names()) {
    if (!base::contains(names, name)) names.push_back(name);
  }
  Value out{.kind = Kind::Unknown, .size = static_cast<uint32_t>(names.size())};
  out.names = context.arena().copy(names).data();
  return out;
}

Value equal(const Value& a, const Value& b, Context& context) {
  if (a.is_number() && b.is_number()) return Value::boolean_of(order_numbers(a, b) == 0);
  if (a.kind != b.kind) {
    const bool is_foreign = a.kind >= Kind::Quantity && b.kind != Kind::Null;
    return is_foreign ? context.no_such_overload() : Value::boolean_of(false);
  }
  switch (a.kind) {
    case Kind::Null: return Value::boolean_of(true);
    case Kind::Type: return Value::boolean_of(a.text() == b.text());
    case Kind::List: return Value::boolean_of(equal_lists(a, b, context));
    case Kind::Map: return Value::boolean_of(equal_maps(a, b, context));
    case Kind::Optional:
      if (a.size == 0 || b.size == 0) return Value::boolean_of(a.size == b.size);
      return equal(*a.items, *b.items, context);
    case Kind::Url:
    case Kind::Ip:
    case Kind::Cidr:
    case Kind::Semver:
    case Kind::Format: return Value::boolean_of(equal_objects(a, b));
    case Kind::Quantity:
      if (amount_of(b).is_computed) return context.no_such_overload();
      [[fallthrough]];
    default: return Value::boolean_of(compare(a, b) == 0);
  }
}

std::optional<int> compare(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) {
    const int found = order_numbers(a, b);
    return found == 2 ? std::nullopt : std::optional(found);
  }
  if (a.kind != b.kind) return std::nullopt;
  switch (a.kind) {
    case Kind::Bool: return order_of(a.boolean, b.boolean);
    case Kind::String:
    case Kind::Bytes: return order_of(a.text(), b.text());
    case Kind::Duration: return order_of(a.integer, b.integer);
    case Kind::Timestamp:
      return a.integer != b.integer ? order_of(a.integer, b.integer) : order_of(a.size, b.size);
    case Kind::Quantity: return amount_of(a).quantity.compare(amount_of(b).quantity);
    default: return std::nullopt;
  }
}

std::string_view type_name(Kind kind) {
  return kTypeNames[static_cast<size_t>(kind)];
}

size_t count_runes(std::string_view text) {
  if (base::is_ascii(text)) return text.size();
  size_t count = 0;
  for (size_t at = 0; at < text.size(); ++count)
    at += std::max<size_t>(base::decode_utf8(text.substr(at)).length, 1);
  return count;
}

uint64_t size_of(const Value& value) {
  switch (value.kind) {
    case Kind::String: return count_runes(value.text());
    case Kind::Bytes:
    case Kind::List:
    case Kind::Map: return value.size;
    case Kind::Optional: return value.size > 0 ? size_of(*value.items) : 1;
    case Kind::Ip:
    case Kind::Cidr: return address_size(value);
    default: return 1;
  }
}

}  // namespace trainjobc::cel
