// SPDX-License-Identifier: Apache-2.0

// Structural schemas as constant tables: what the CRDs of one Trainer version accept, how Kubernetes merges
// and defaults it, and how the Go types serialise it. Generated from schema/*.json by tools/schemagen;
// read-only data in the binary, nothing is parsed at startup.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/text/text.h"

namespace trainjobc::schema {

enum class Type : uint8_t { Any, Object, Array, String, Integer, Number, Boolean, IntOrString };
enum class Format : uint8_t { None, Int32, Int64, DateTime };
// How the items of an array merge; None means no x-kubernetes-list-type, which behaves as Atomic.
enum class ListType : uint8_t { None, Atomic, Map, Set };

// How Go's JSON encoder writes a field of the typed API, and so which values survive a round trip through it.
// Recorded by tools/wirefacts. In every class, null counts as absent.
enum class Wire : uint8_t {
  // A scalar, list or map with `omitempty`: "", 0, false, [] and {} vanish.
  OmitEmpty,
  // A pointer with `omitempty`, or a struct or time with `omitzero`: a given value stays, even {} and 0. (Go
  // drops an `omitzero` struct whose fields are all zero; after admission, only an empty template is such a
  // struct.)
  Pointer,
  // A struct by value: always written, an absent one as its zero value.
  Struct,
  // A scalar without `omitempty`: an absent one is written as its zero value; a quantity's is "0", an
  // int-or-string's the number 0.
  Always,
  // A list, map or pointer without `omitempty`, or a time by value: an absent one is written as null; a given
  // value stays, even [] and {}.
  Null,
};

struct Schema;

struct Property {
  std::string_view name;
  const Schema* schema = nullptr;
  Wire wire = Wire::OmitEmpty;
  // Strategic merge tags of the Go type (patchStrategy, patchMergeKey).
  bool patch_merge = false;
  bool patch_retain_keys = false;
  std::string_view patch_merge_key;
  uint64_t prefix = base::prefix_of(name);
};

// A CEL rule (x-kubernetes-validations), which the code identifies by its text.
struct CelRule {
  std::string_view rule;
  std::string_view message;
};

struct Bounds {
  std::optional<int64_t> minimum, maximum;
  std::optional<int64_t> min_length, max_length;
  std::optional<int64_t> min_items, max_items;
  std::optional<int64_t> min_properties;
  std::string_view pattern;  // RE2 syntax; "" if there is none
};

struct Schema {
  Type type = Type::Any;
  Format format = Format::None;
  ListType list_type = ListType::None;
  bool quantity = false;                 // a Kubernetes resource quantity (Type::IntOrString)
  bool atomic_map = false;               // x-kubernetes-map-type: atomic
  std::span<const Property> properties;  // by name, ascending
  const Schema* items = nullptr;         // the schema of an array's items
  const Schema* additional = nullptr;    // additionalProperties: the schema of every value
  std::span<const std::string_view> required;
  std::span<const std::string_view> enums;      // the values that a string may have
  std::span<const std::string_view> list_keys;  // the keys of a ListType::Map
  std::span<const CelRule> rules;
  const Bounds* bounds = nullptr;
  std::string_view default_json;  // the default as JSON text; "" if there is none

  const Property* property(std::string_view name) const;
  // The schema of the key's value: its property's, else `additional`; nullptr if there is neither.
  const Schema* child(std::string_view key) const;
};

struct KindSchema {
  std::string_view kind;
  std::string_view group;    // trainer.kubeflow.org, jobset.x-k8s.io
  std::string_view version;  // v1alpha1, v1alpha2
  bool namespaced = true;
  const Schema* schema = nullptr;
};

// The tables of one Trainer version.
struct VersionSchemas {
  std::string_view trainer;  // "2.3"
  std::span<const KindSchema> kinds;

  const KindSchema* kind(std::string_view name) const;
};

// All versions that the binary knows, oldest first.
std::span<const VersionSchemas> all_versions();
const VersionSchemas* find_version(std::string_view trainer);
// Like find_version, but returns the newest release for an unknown version.
const VersionSchemas& version_or_newest(std::string_view trainer);

// What a field of a type is for, from schema/descriptions.json.
struct FieldDescription {
  std::string_view name;  // "Container.image"; "ContainerOverride." covers the fields that are not named
  std::string_view text;  // one sentence; "" if the field explains itself
  std::string_view type;  // the type of the field, or of its list's items; "" if that has no described fields
};

// Sorted by name.
std::span<const FieldDescription> all_descriptions();
// nullptr if the field has no description.
const FieldDescription* describe_field(std::string_view type, std::string_view field);

}  // namespace trainjobc::schema
