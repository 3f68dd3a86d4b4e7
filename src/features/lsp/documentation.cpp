// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <deque>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text/text.h"
#include "compile/explanations.h"
#include "config_schema.h"
#include "features/json_schema/json_schema.h"
#include "features/lsp/answers.h"
#include "features/lsp/references.h"
#include "features/objects/difference_text.h"
#include "k8s/field.h"
#include "model/trainer_names.h"
#include "schema/validate.h"

namespace trainjobc::lsp {
namespace {

using schema::Property;
using schema::Schema;
using schema::Type;

// The settings of .trainjobc.yaml, as schema/trainjobc-config.json describes them. If a setting has several
// forms, such as a list and a map, the last one counts.
class Settings {
 public:
  const Schema& schema() const { return *root_; }

  // The description of the setting at a path without the steps to items; "" if there is none.
  std::string_view description(std::string_view path) const {
    const auto found = descriptions_.find(path);
    return found != descriptions_.end() ? std::string_view(found->second) : std::string_view();
  }

 private:
  const Schema* read(const Json& json, const std::string& path) {
    if (const auto name = json.find("$ref"); name != json.end())
      return read(json_.at(Json::json_pointer(name->get<std::string>().substr(1))), path);
    if (json.contains("description") && !path.empty())
      descriptions_.try_emplace(path, json["description"].get<std::string>());
    if (json.contains("anyOf") && !json.contains("type")) return read(json["anyOf"].back(), path);
    Schema& schema = schemas_.emplace_back();
    const std::string type = json.value("type", "string");
    for (const Type one : {Type::Object, Type::Array, Type::String, Type::Boolean}) {
      if (json_schema::type_name(one) == type) schema.type = one;
    }
    schema.enums = texts(member(json, {"enum"}));
    schema.required = texts(member(json, {"required"}));
    if (json.contains("items")) schema.items = read(json["items"], path);
    if (const Json& rest = member(json, {"additionalProperties"}); rest.is_object())
      schema.additional = read(rest, path);
    std::vector<Property>& properties = properties_.emplace_back();
    for (const auto& [name, value] : member(json, {"properties"}).items())
      properties.push_back({.name = name, .schema = read(value, path.empty() ? name : path + "." + name)});
    schema.properties = properties;
    return &schema;
  }

  std::span<const std::string_view> texts(const Json& list) {
    std::vector<std::string_view>& all = texts_.emplace_back();
    for (const Json& one : list) {
      if (one.is_string()) all.push_back(one.get_ref<const std::string&>());
    }
    return all;
  }

  const Json json_ = Json::parse(kConfigSchema);
  std::deque<Schema> schemas_;
  std::deque<std::vector<Property>> properties_;
  std::deque<std::vector<std::string_view>> texts_;
  std::map<std::string, std::string, std::less<>> descriptions_;
  const Schema* root_ = read(json_, "");
};

const Settings& settings() {
  static const Settings kSettings;
  return kSettings;
}

std::string item_words(const Schema& items) {
  if (items.quantity) return "quantities";
  switch (items.type) {
    case Type::Object: return "objects";
    case Type::Array: return "lists";
    case Type::Any: return "values";
    case Type::IntOrString: return "integers or strings";
    default: return fmt::format("{}s", json_schema::type_name(items.type));
  }
}

// The path of a setting, such as "cluster.context", without steps to items.
std::string settings_path(const CursorPath& path) {
  std::string text;
  for (const CursorStep& step : path) {
    if (step.is_item()) continue;
    if (!text.empty()) text += '.';
    text += step.key;
  }
  return text;
}

void add_bound(std::string& out, std::string_view words, const std::optional<int64_t>& value,
               std::string_view unit = "") {
  if (value)
    out += fmt::format(" {} {}{}{}{}.", words, *value, unit.empty() ? "" : " ", unit,
                       unit.empty() || *value == 1 ? "" : "s");
}

// A field with its type, description and limits, in Markdown; "" if the schema has no such field. `kind` is
// "" for a setting.
std::string field_words(std::string_view kind, const schema::Schema& root, const CursorPath& path) {
  const schema::Schema* field = schema_along(root, path, path.size());
  if (!field || path.empty()) return "";
  std::string out =
      fmt::format("**{}** · {}", objects::without_pod_steps(to_string(path)), type_words(*field));
  const CursorStep& last = path.back();
  const schema::Schema* map = last.is_item() ? nullptr : schema_along(root, path, path.size() - 1);
  if (map && requires_field(*map, last.key)) out += ", required";
  const std::string notes = field_notes(kind, *field, path);
  return notes.empty() ? out : out + "\n\n" + notes;
}

// Describes the rule that a comment names.
std::string hover_rule(std::string_view id) {
  const rules::Rule* rule = rules::find_rule(id);
  return rule ? rule_words(*rule) : "";
}

// Describes a setting of .trainjobc.yaml, or a rule in it.
std::string hover_setting(const Cursor& cursor) {
  if (std::string rule = hover_rule(cursor.word); !rule.empty()) return rule;
  return field_words("", configuration_schema(), cursor.path);
}

bool is_at_runtime_ref(const Cursor& cursor) {
  return cursor.kind() == model::kTrainJob && cursor.path.size() >= 2 && cursor.path[0].key == "spec" &&
         cursor.path[1].key == "runtimeRef";
}

// Describes a field of an object: what it is, what becomes of it, and the runtime that it names.
std::string hover_field(const Workspace& workspace, const DocumentId& document, const Cursor& cursor) {
  const schema::Schema* root = object_schema(workspace.schemas_of(document), document, cursor);
  if (!root) return "";
  std::string out = field_words(cursor.kind(), *root, cursor.path);
  const std::string effects = describe_effects(workspace, document, cursor);
  if (!out.empty() && !effects.empty()) out += "\n\n";
  out += effects;
  const auto runtime = is_at_runtime_ref(cursor) ? runtime_of(workspace, document, cursor) : std::nullopt;
  if (runtime) out += (out.empty() ? "" : "\n\n---\n\n") + describe_runtime(workspace, *runtime);
  return out;
}

}  // namespace

const Schema& configuration_schema() {
  return settings().schema();
}

std::string_view configuration_description(std::string_view path) {
  return settings().description(path);
}

const Schema* object_schema(const schema::VersionSchemas& version, const DocumentId& document,
                            const Cursor& cursor) {
  if (is_settings_file(document)) return &configuration_schema();
  const schema::KindSchema* kind = version.kind(cursor.kind());
  return kind && !kind->group.empty() ? kind->schema : nullptr;
}

const Schema* schema_along(const Schema& root, const CursorPath& path, size_t steps) {
  std::deque<k8s::Path> links(1);
  for (size_t i = 0; i < steps; ++i) {
    const CursorStep& step = path[i];
    if (step.is_item()) {
      links.emplace_back(links.back(), step.index);
    } else {
      links.emplace_back(links.back(), std::string_view(step.key));
    }
  }
  return schema::schema_at(root, links.back());
}

std::string_view description_of(std::string_view kind, const CursorPath& path) {
  if (kind.empty()) return configuration_description(settings_path(path));
  std::string_view type = json_schema::described_kind(kind);
  std::string_view text;
  for (const CursorStep& step : path) {
    if (step.is_item()) continue;
    const schema::FieldDescription* field = schema::describe_field(type, step.key);
    if (!field) return "";
    type = field->type;
    text = field->text;
  }
  return text;
}

std::string type_words(const Schema& schema) {
  if (schema.quantity) return "quantity";
  switch (schema.type) {
    case Type::Any: return "any value";
    case Type::IntOrString: return "integer or string";
    case Type::Array: return schema.items ? "list of " + item_words(*schema.items) : "list";
    case Type::Object:
      return schema.properties.empty() && schema.additional ? "map of " + item_words(*schema.additional)
                                                            : "object";
    default: return std::string(json_schema::type_name(schema.type));
  }
}

std::string limit_words(const Schema& schema) {
  std::string out;
  if (!schema.default_json.empty()) out += fmt::format(" Default: {}.", schema.default_json);
  if (!schema.enums.empty()) out += fmt::format(" One of: {}.", fmt::join(schema.enums, ", "));
  if (const schema::Bounds* bounds = schema.bounds) {
    add_bound(out, "At least", bounds->minimum);
    add_bound(out, "At most", bounds->maximum);
    add_bound(out, "At least", bounds->min_length, "character");
    add_bound(out, "At most", bounds->max_length, "character");
    add_bound(out, "At least", bounds->min_items, "item");
    add_bound(out, "At most", bounds->max_items, "item");
    add_bound(out, "At least", bounds->min_properties, "field");
  }
  if (!out.empty()) out.erase(0, 1);
  return out;
}

bool requires_field(const Schema& map, std::string_view name) {
  return base::contains(map.required, name);
}

std::string rule_words(const rules::Rule& rule) {
  return fmt::format("**{}** · {}\n\n{}.\n\n{}", rule.id, base::to_string(rule.severity), rule.summary,
                     compile::explanation_of(rule));
}

std::string field_notes(std::string_view kind, const schema::Schema& field, const CursorPath& path) {
  std::string out(description_of(kind, path));
  if (!out.empty() && out.back() != '.') out += '.';
  const std::string limits = limit_words(field);
  if (!out.empty() && !limits.empty()) out += "\n\n";
  return out + limits;
}

Json hover_in(const Workspace& workspace, const DocumentId& document, const base::SourceFile& file,
              size_t offset) {
  const Cursor cursor = find_at_or_before(file.text(), offset);
  std::string words;
  if (cursor.spot == Spot::Comment) {
    words = hover_rule(cursor.word);
  } else if (cursor.spot != Spot::None) {
    words = is_settings_file(document) ? hover_setting(cursor) : hover_field(workspace, document, cursor);
  }
  if (words.empty()) return nullptr;
  return {{"contents", {{"kind", "markdown"}, {"value", words}}},
          {"range", range_of(file, cursor.begin, cursor.end)}};
}

Json hover(const Workspace& workspace, const DocumentId& document, Position at) {
  const auto text = workspace.current(document);
  if (!text) return nullptr;
  return hover_in(workspace, document, *text->file, offset_of(*text->file, at));
}

}  // namespace trainjobc::lsp
