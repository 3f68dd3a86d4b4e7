// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "base/text/suggest.h"
#include "k8s/value_text.h"
#include "rules/rules.h"
#include "schema/field_search.h"
#include "schema/validate.h"

namespace trainjobc::schema {
namespace {

constexpr size_t kMaxListed = 10;

// Fields of one version, and the fields of other versions with the same purpose.
struct Replacement {
  std::string_view field;
  std::string_view instead;
};

constexpr std::array kReplacements = std::to_array<Replacement>({
    {"podSpecOverrides", "podTemplateOverrides"},
    {"podSpecOverrides", "runtimePatches"},
    {"podTemplateOverrides", "podSpecOverrides"},
    {"podTemplateOverrides", "runtimePatches"},
    {"runtimePatches", "podSpecOverrides"},
    {"runtimePatches", "podTemplateOverrides"},
    {"labels", "runtimePatches"},
    {"annotations", "runtimePatches"},
});

std::vector<std::string_view> names_of(const Schema& schema) {
  std::vector<std::string_view> names;
  names.reserve(schema.properties.size());
  for (const Property& property : schema.properties) names.push_back(property.name);
  return names;
}

// The starting point of the search for hints; `kind` is empty if only the schema is known.
struct Context {
  const Schema* root = nullptr;
  std::string_view kind;
  std::string_view trainer_version;
};

std::string replacement_hint(const Context& context, const Schema& parent, std::string_view field) {
  for (const Replacement& replacement : kReplacements) {
    if (replacement.field != field || !parent.property(replacement.instead)) continue;
    return fmt::format("; Trainer {} has {} instead", context.trainer_version, replacement.instead);
  }
  return "";
}

// The versions that have the field at this place; "" if none does.
std::string version_hint(const Context& context, const Schema& parent, const k8s::Path& field) {
  std::string_view first;
  std::string_view last;
  bool is_newer = false;
  for (const VersionSchemas& version : all_versions()) {
    const KindSchema* kind = version.kind(context.kind);
    if (!kind || !schema_at(*kind->schema, field)) continue;
    if (first.empty()) first = version.trainer;
    last = version.trainer;
    is_newer = &version > find_version(context.trainer_version);
  }
  if (first.empty()) return "";
  std::string hint = fmt::format("it existed until Trainer {}", last);
  if (first == last) hint = fmt::format("only Trainer {} has it", last);
  if (is_newer) hint = fmt::format("it was added in Trainer {}", first);
  return hint + replacement_hint(context, parent, field.key());
}

// The fields of the schema that the map lacks but must have.
std::vector<std::string_view> missing_fields(const yaml::Node& map, const Schema& schema) {
  std::vector<std::string_view> missing;
  std::ranges::copy_if(schema.required, std::back_inserter(missing),
                       [&](std::string_view name) { return map.get(name) == nullptr; });
  return missing;
}

// Whether one of the words is a prefix of the other: runtime of runtimeRef.
bool share_beginning(std::string_view a, std::string_view b) {
  constexpr size_t kShortest = 3;
  const std::string_view shorter = a.size() < b.size() ? a : b;
  return shorter.size() >= kShortest && a.starts_with(shorter) && b.starts_with(shorter);
}

// The field that the name probably means; a missing field is preferred to an existing one.
std::optional<std::string_view> meant_field(std::string_view name, const yaml::Node& map,
                                            const Schema& schema) {
  const std::vector<std::string_view> missing = missing_fields(map, schema);
  if (const auto meant = base::closest(name, missing)) return meant;
  const auto longer =
      std::ranges::find_if(missing, [&](std::string_view field) { return share_beginning(field, name); });
  if (longer != missing.end()) return *longer;
  return base::closest(name, names_of(schema));
}

bool could_be(const yaml::Node& value, const Schema& schema) {
  if (schema.type == Type::Object) return value.is_map();
  return schema.type == Type::Array ? value.is_list() : value.is_scalar();
}

// {A: b} for {name: A, value: b}: the only unknown field contains the only missing one.
std::optional<std::string_view> stands_for(const yaml::Entry& entry, const yaml::Node& map,
                                           const Schema& schema) {
  const std::vector<std::string_view> missing = missing_fields(map, schema);
  const auto is_another = [&](const yaml::Entry& other) {
    return &other != &entry && !schema.property(other.key);
  };
  if (missing.size() != 1 || std::ranges::any_of(map.entries(), is_another)) return std::nullopt;
  return could_be(*entry.value, *schema.property(missing.front())->schema) ? std::optional(missing.front())
                                                                           : std::nullopt;
}

// `parent` is the schema of the map that holds the field; nullptr if no map belongs. `meant` is the field
// beside it that it was meant for.
std::string hint_for(const Context& context, const Schema* parent, const k8s::Path& field,
                     std::optional<std::string_view> meant) {
  if (!parent) return "a list is not allowed here";
  if (parent->type == Type::Array) return fmt::format("{} must be a list", field.parent()->str());
  if (parent->type != Type::Object) return fmt::format("{} has no fields", field.parent()->str());
  if (!context.kind.empty()) {
    if (std::string hint = version_hint(context, *parent, field); !hint.empty()) return hint;
  }
  if (meant) return fmt::format("did you mean \"{}\"?", *meant);
  const auto names = names_of(*parent);
  if (context.root) {
    const std::string place = find_place(*context.root, field);
    if (!place.empty()) return fmt::format("it is a field of {}", place);
  }
  if (names.empty()) return fmt::format("{} has no fields", field.parent()->str());
  return names.size() <= kMaxListed ? fmt::format("its fields are {}", fmt::join(names, ", ")) : "";
}

class Walker {
 public:
  explicit Walker(const Context& context) : context_(context) {}
  k8s::Violations found;

  // `schema` is nullptr inside a misplaced list.
  void walk(const yaml::Node& node, const Schema* schema, const k8s::Path& path) {
    if (schema && schema->type == Type::Any) return;
    size_t index = 0;
    for (const yaml::Node* item : node.items()) {
      walk(*item, schema ? schema->items : nullptr, path.child(index++));
    }
    for (const yaml::Entry& entry : node.entries()) {
      const Property* property = schema ? schema->property(entry.key) : nullptr;
      const Schema* child = property ? property->schema : schema ? schema->additional : nullptr;
      const k8s::Path at = path.child(entry.key);
      if (child) {
        walk(*entry.value, child, at);
      } else {
        report(entry, node, schema, at);
      }
    }
  }

 private:
  void report(const yaml::Entry& entry, const yaml::Node& map, const Schema* parent, const k8s::Path& path) {
    const bool is_map = parent && parent->type == Type::Object;
    const auto meant = is_map ? meant_field(entry.key, map, *parent) : std::nullopt;
    const auto shorthand = is_map && !meant ? stands_for(entry, map, *parent) : std::nullopt;
    const std::string where = path.parent()->str();
    base::Diagnostic diagnostic = rules::finding("input/unknown-field");
    diagnostic.field = path.str();
    diagnostic.message =
        fmt::format("unknown field {} in {}", k8s::quoted(entry.key), where.empty() ? "the object" : where);
    diagnostic.hint = shorthand == "name" && parent->property("value")
                          ? fmt::format("write {{name: {}, value: …}}", entry.key)
                          : hint_for(context_, parent, path, meant);
    if (meant || shorthand) diagnostic.meant = path.parent()->child(meant ? *meant : *shorthand).str();
    diagnostic.location = yaml::locate_key(entry);
    found.push_back(std::move(diagnostic));
  }

  const Context& context_;
};

}  // namespace

k8s::Violations find_unknown_fields(const yaml::Node& node, const Schema& schema, const k8s::Path& path) {
  const Context context;
  Walker walker(context);
  walker.walk(node, &schema, path);
  return std::move(walker.found);
}

k8s::Violations find_unknown_fields(const yaml::Node& node, const Schema& schema, std::string_view kind,
                                    std::string_view trainer_version) {
  const Context context{&schema, kind, trainer_version};
  Walker walker(context);
  walker.walk(node, &schema, {});
  return std::move(walker.found);
}

}  // namespace trainjobc::schema
