// SPDX-License-Identifier: Apache-2.0
// Fields by schema, with what follows their colon.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "features/lsp/features/complete/suggestions.h"
#include "features/lsp/features/replies.h"
#include "features/lsp/features/schema_words.h"

namespace trainjobc::lsp {
namespace {

using schema::Property;
using schema::Schema;
using schema::Type;

// The fields of every object, for a document whose kind isn't written yet.
constexpr Schema kAnyText{.type = Type::String};
constexpr Schema kAnyObject{.type = Type::Object};
constexpr std::array kObjectFields = std::to_array<Property>({{.name = "apiVersion", .schema = &kAnyText},
                                                              {.name = "kind", .schema = &kAnyText},
                                                              {.name = "metadata", .schema = &kAnyObject},
                                                              {.name = "spec", .schema = &kAnyObject}});
constexpr std::array<std::string_view, 3> kObjectNeeds{"apiVersion", "kind", "metadata"};
constexpr Schema kObject{.type = Type::Object, .properties = kObjectFields, .required = kObjectNeeds};

class FieldSuggester {
 public:
  FieldSuggester(const SuggestionContext& context, std::vector<Suggestion>& out)
      : context_(context), cursor_(context.cursor), out_(out), map_path_(context.cursor.path) {
    if (cursor_.spot == Spot::Key) map_path_.pop_back();
  }

  void suggest() {
    const Schema* map = context_.root       ? schema_along(*context_.root, map_path_, map_path_.size())
                        : map_path_.empty() ? &kObject
                                            : nullptr;
    if (!map) return;
    if (map->type == Type::Array) {
      if (cursor_.in_flow || !map->items || cursor_.spot == Spot::Value) return;
      dash_ = "- ";
      map_path_.push_back({"", 0});
      map = map->items;
      if (map->type != Type::Object) return suggest_values(context_, map, out_);
    }
    const Sketch* present = dash_.empty() ? cursor_.container : nullptr;
    for (const Property& property : map->properties) {
      if (is_offered(property, present)) add(*map, property);
    }
    if (matches(map_path_, {"rules"}) && is_settings_file(context_.document))
      suggest_rules(cursor_.is_complete && cursor_.spot == Spot::Key ? "" : ": ", out_);
  }

 private:
  bool is_offered(const Property& property, const Sketch* present) const {
    if (map_path_.empty() && property.name == "status") return false;
    if (!present) return true;
    return std::ranges::none_of(present->entries, [&](const SketchEntry& entry) {
      return entry.key == property.name && entry.begin != cursor_.begin;
    });
  }

  void add(const Schema& map, const Property& property) {
    CursorPath path = map_path_;
    path.push_back({std::string(property.name)});
    const bool is_needed =
        requires_field(map, property.name) || (map_path_.empty() && requires_field(kObject, property.name));
    const std::string_view kind = is_settings_file(context_.document) ? std::string_view() : cursor_.kind();
    out_.push_back({.label = dash_ + std::string(property.name),
                    .kind = SuggestionKind::Field,
                    .detail = type_words(*property.schema) + (is_needed ? ", required" : ""),
                    .documentation = notes_of(kind, *property.schema, path),
                    .insert = dash_ + context_.quoted(property.name) + after_name(*property.schema),
                    .order = is_needed ? 0 : 1});
  }

  std::string notes_of(std::string_view kind, const Schema& field, const CursorPath& path) const {
    const bool is_known = !kind.empty() || is_settings_file(context_.document);
    return is_known ? field_notes(kind, field, path) : limit_words(field);
  }

  // The colon, and in a block the beginning of the line below.
  std::string after_name(const Schema& field) const {
    if (cursor_.spot == Spot::Key && cursor_.is_complete) return "";
    if (cursor_.in_flow) return ": ";
    const std::string indent(context_.column + dash_.size(), ' ');
    if (field.type == Type::Array) return fmt::format(":\n{}- ", indent);
    if (field.type == Type::Object) return fmt::format(":\n{}  ", indent);
    return ": ";
  }

  const SuggestionContext& context_;
  const Cursor& cursor_;
  std::vector<Suggestion>& out_;
  CursorPath map_path_;
  std::string dash_;  // of an item that is not begun yet
};

}  // namespace

void suggest_fields(const SuggestionContext& context, std::vector<Suggestion>& out) {
  FieldSuggester(context, out).suggest();
}

}  // namespace trainjobc::lsp
