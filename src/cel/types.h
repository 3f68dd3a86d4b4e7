// SPDX-License-Identifier: Apache-2.0

// The types of expressions, and the functions that are declared.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "cel/value.h"

namespace trainjobc::cel {

enum class TypeKind : uint8_t {
  Error,
  Dyn,
  Null,
  Bool,
  Int,
  Uint,
  Double,
  String,
  Bytes,
  Timestamp,
  Duration,
  List,
  Map,
  Type,
  Opaque,
  Object,
  Param
};

struct TypeField;

struct Type {
  TypeKind kind = TypeKind::Dyn;
  std::string_view name;
  std::span<const Type* const> params;  // of List, Map, Opaque and Type
  uint32_t param = 0;                   // the number of a Param
  // Of an Object, its fields: those of a schema, or those that are listed.
  const schema::Schema* schema = nullptr;
  std::span<const TypeField> fields;
};

struct TypeField {
  std::string_view name;
  const Type* type = nullptr;
};

namespace types {
extern const Type kError, kDyn, kNull, kBool, kInt, kUint, kDouble, kString, kBytes, kTimestamp, kDuration;
}  // namespace types

// Makes types in an arena.
class Types {
 public:
  explicit Types(base::Arena& arena) : arena_(&arena) {}

  const Type* list(const Type* item) { return made(TypeKind::List, "list", {item}); }
  const Type* map(const Type* key, const Type* value) { return made(TypeKind::Map, "map", {key, value}); }
  const Type* optional(const Type* value) { return made(TypeKind::Opaque, "optional_type", {value}); }
  const Type* type_of(const Type* type) { return made(TypeKind::Type, "type", {type}); }
  const Type* opaque(std::string_view name) { return made(TypeKind::Opaque, name, {}); }
  const Type* param(uint32_t number);
  const Type* with_params(const Type& type, const std::vector<const Type*>& params);
  // Of the values that have the schema; `name` is that of an object's type.
  const Type* of_schema(const schema::Schema& schema, std::string_view name);
  const Type* object(std::string_view name, std::span<const TypeField> fields);
  // "map<string,list<int>>", "timestamp", "kubernetes.Quantity"; A, B and C are parameters.
  const Type* parse(std::string_view text);
  // The type of an object's field; nullptr if it has no such field.
  const Type* field(const Type& object, std::string_view name);

 private:
  const Type* take_type(std::string_view& rest);
  const Type* made(TypeKind kind, std::string_view name, const std::vector<const Type*>& params);

  base::Arena* arena_;
};

bool is_same(const Type& a, const Type& b);
// Whether values of the type have a kind of their own, from null to type; and which.
bool has_kind(TypeKind type);
Kind kind_of(TypeKind type);
inline bool is_optional(const Type& type) {
  return type.kind == TypeKind::Opaque && type.name == "optional_type";
}
// "list(int)"
std::string to_string(const Type& type);
// Whether a function that takes this type takes the value.
bool takes(const Type& type, const Value& value);

// The type of values of a kind, for what a type is called in an expression: int, google.protobuf.Duration;
// nullptr if no type has that name.
const Type* find_named_type(std::string_view name);

// The name of an object's property as an expression spells it, and back: "__dash__" is "-". API servers
// escape what is not an identifier.
std::string unescape_field(std::string_view name);

struct Call;
using Function = Value (*)(const Call& call);

struct Overload {
  std::string_view name;
  bool is_member = false;
  std::span<const Type* const> args;  // of a member function, with what stands before the dot
  const Type* result = nullptr;
  Function run = nullptr;  // nullptr: of an operator, or of a function that only a cluster can compute
};

// The overloads of a function; empty if there is none of that name. Type parameters are numbered from 0.
std::span<const Overload> find_overloads(std::string_view name);

}  // namespace trainjobc::cel
