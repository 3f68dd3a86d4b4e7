// SPDX-License-Identifier: Apache-2.0
#include "features/lsp/features/schema_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "features/json_schema/json_schema.h"
#include "k8s/field.h"
#include "schema/validate.h"

namespace trainjobc::lsp {
namespace {

using schema::Schema;
using schema::Type;

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

// "cluster.context": lists are stepped over.
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

}  // namespace

bool is_settings_file(const DocumentId& document) {
  constexpr std::string_view kName = ".trainjobc.yaml";
  return document == kName || document.ends_with("/.trainjobc.yaml");
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
  return std::ranges::find(map.required, name) != map.required.end();
}

}  // namespace trainjobc::lsp
