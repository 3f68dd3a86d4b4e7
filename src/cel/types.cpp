// SPDX-License-Identifier: Apache-2.0

#include "cel/types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/text.h"

namespace trainjobc::cel {

namespace types {
constexpr Type kError{TypeKind::Error, "!error!"};
constexpr Type kDyn{TypeKind::Dyn, "dyn"};
constexpr Type kNull{TypeKind::Null, "null_type"};
constexpr Type kBool{TypeKind::Bool, "bool"};
constexpr Type kInt{TypeKind::Int, "int"};
constexpr Type kUint{TypeKind::Uint, "uint"};
constexpr Type kDouble{TypeKind::Double, "double"};
constexpr Type kString{TypeKind::String, "string"};
constexpr Type kBytes{TypeKind::Bytes, "bytes"};
constexpr Type kTimestamp{TypeKind::Timestamp, "google.protobuf.Timestamp"};
constexpr Type kDuration{TypeKind::Duration, "google.protobuf.Duration"};
}  // namespace types

namespace {

constexpr std::array kDynOnce{&types::kDyn};
constexpr std::array kDynTwice{&types::kDyn, &types::kDyn};
constexpr Type kListOfDyn{TypeKind::List, "list", kDynOnce};
constexpr Type kMapOfDyn{TypeKind::Map, "map", kDynTwice};
constexpr Type kTypeOfDyn{TypeKind::Type, "type", kDynOnce};
constexpr Type kOptionalOfDyn{TypeKind::Opaque, "optional_type", kDynOnce};
constexpr Type kIp{TypeKind::Opaque, "net.IP"};
constexpr Type kCidr{TypeKind::Opaque, "net.CIDR"};

constexpr std::array kNamedTypes{
    &types::kNull,
    &types::kBool,
    &types::kInt,
    &types::kUint,
    &types::kDouble,
    &types::kString,
    &types::kBytes,
    &types::kTimestamp,
    &types::kDuration,
    &kListOfDyn,
    &kMapOfDyn,
    &kTypeOfDyn,
    &kOptionalOfDyn,
    &kIp,
    &kCidr,
};

constexpr std::array kEscapes = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"__underscores__", "__"}, {"__dot__", "."}, {"__dash__", "-"}, {"__slash__", "/"}});

static_assert(static_cast<int>(TypeKind::Type) - static_cast<int>(TypeKind::Null) ==
              static_cast<int>(Kind::Type) - static_cast<int>(Kind::Null));

}  // namespace

const Type* Types::made(TypeKind kind, std::string_view name, const std::vector<const Type*>& params) {
  return arena_->make(Type{kind, name, arena_->copy(params)});
}

const Type* Types::param(uint32_t number) {
  return arena_->make(Type{.kind = TypeKind::Param, .name = "T", .param = number});
}

const Type* Types::with_params(const Type& type, const std::vector<const Type*>& params) {
  return made(type.kind, type.name, params);
}

const Type* Types::object(std::string_view name, std::span<const TypeField> fields) {
  return arena_->make(Type{.kind = TypeKind::Object, .name = name, .fields = fields});
}

const Type* Types::of_schema(const schema::Schema& schema, std::string_view name) {
  switch (schema.type) {
    case schema::Type::Boolean: return &types::kBool;
    case schema::Type::Integer: return &types::kInt;
    case schema::Type::Number: return &types::kDouble;
    case schema::Type::String:
      return schema.format == schema::Format::DateTime ? &types::kTimestamp : &types::kString;
    case schema::Type::Array:
      return list(schema.items ? of_schema(*schema.items, arena_->copy(fmt::format("{}.@idx", name)))
                               : &types::kDyn);
    case schema::Type::Object:
      if (!schema.properties.empty())
        return arena_->make(Type{.kind = TypeKind::Object, .name = name, .schema = &schema});
      if (!schema.additional) return &types::kDyn;
      return map(&types::kString, of_schema(*schema.additional, arena_->copy(fmt::format("{}.@elem", name))));
    default: return &types::kDyn;
  }
}

const Type* Types::take_type(std::string_view& rest) {
  const std::string_view name = rest.substr(0, std::min(rest.find_first_of("<>,"), rest.size()));
  rest.remove_prefix(name.size());
  std::vector<const Type*> params;
  if (rest.starts_with('<')) {
    while (!rest.empty() && !rest.starts_with('>')) {
      rest.remove_prefix(1);
      params.push_back(take_type(rest));
    }
    rest.remove_prefix(std::min<size_t>(rest.size(), 1));
  }
  if (name.size() == 1) return param(static_cast<uint32_t>(name.front() - 'A'));
  if (name == "timestamp") return &types::kTimestamp;
  if (name == "duration") return &types::kDuration;
  if (name == "dyn") return &types::kDyn;
  const Type* named = find_named_type(name);
  if (!named) return made(TypeKind::Opaque, arena_->copy(name), params);
  return params.empty() ? named : with_params(*named, params);
}

const Type* Types::parse(std::string_view text) {
  return take_type(text);
}

const Type* Types::field(const Type& object, std::string_view name) {
  const TypeField* listed = base::find(object.fields, name, &TypeField::name);
  if (listed) return listed->type;
  const schema::Property* property = object.schema ? object.schema->property(unescape_field(name)) : nullptr;
  if (!property) return nullptr;
  return of_schema(*property->schema, arena_->copy(fmt::format("{}.{}", object.name, name)));
}

bool has_kind(TypeKind type) {
  return type >= TypeKind::Null && type <= TypeKind::Type;
}

Kind kind_of(TypeKind type) {
  return static_cast<Kind>(static_cast<uint8_t>(type) - static_cast<uint8_t>(TypeKind::Null) +
                           static_cast<uint8_t>(Kind::Null));
}

bool is_same(const Type& a, const Type& b) {
  if (&a == &b) return true;
  if (a.kind != b.kind || a.params.size() != b.params.size()) return false;
  if (a.kind == TypeKind::Param) return a.param == b.param;
  if (a.name != b.name || a.schema != b.schema) return false;
  for (size_t i = 0; i < a.params.size(); ++i) {
    if (!is_same(*a.params[i], *b.params[i])) return false;
  }
  return true;
}

std::string to_string(const Type& type) {
  if (type.kind == TypeKind::Timestamp) return "timestamp";
  if (type.kind == TypeKind::Duration) return "duration";
  if (type.kind == TypeKind::Null) return "null";
  std::string out(type.name);
  if (type.params.empty()) return out;
  for (size_t i = 0; i < type.params.size(); ++i) out += (i == 0 ? "(" : ", ") + to_string(*type.params[i]);
  return out + ")";
}

// Of a list or map, the first element is looked at, as in the API server.
bool takes(const Type& type, const Value& value) {
  switch (type.kind) {
    case TypeKind::Dyn:
    case TypeKind::Param: return true;
    case TypeKind::Opaque: return type.name == type_name(value.kind);
    case TypeKind::Object:
    case TypeKind::Error: return false;
    case TypeKind::List:
      return value.kind == Kind::List && (value.size == 0 || takes(*type.params[0], item_of(value, 0)));
    case TypeKind::Map:
      return value.kind == Kind::Map && (value.size == 0 || (takes(*type.params[0], key_of(value, 0)) &&
                                                             takes(*type.params[1], entry_of(value, 0))));
    default: return value.kind == kind_of(type.kind);
  }
}

const Type* find_named_type(std::string_view name) {
  const auto* known = base::find(kNamedTypes, name, &Type::name);
  return known ? *known : nullptr;
}

std::string unescape_field(std::string_view name) {
  if (name.find("__") == std::string_view::npos) return std::string(name);
  std::string out;
  while (!name.empty()) {
    const auto* escape =
        std::ranges::find_if(kEscapes, [&](const auto& known) { return name.starts_with(known.first); });
    if (escape != kEscapes.end()) {
      out += escape->second;
      name.remove_prefix(escape->first.size());
    } else {
      out += name.front();
      name.remove_prefix(1);
    }
  }
  // A property that is called like a keyword.
  if (out.size() > 4 && out.starts_with("__") && out.ends_with("__")) return out.substr(2, out.size() - 4);
  return out;
}

}  // namespace trainjobc::cel
