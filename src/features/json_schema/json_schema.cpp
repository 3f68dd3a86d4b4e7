// SPDX-License-Identifier: Apache-2.0

#include "features/json_schema/json_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "base/text/text.h"
#include "lint/report/json.h"
#include "model/trainer_names.h"
#include "report_schemas.h"

namespace trainjobc::json_schema {
namespace {

using report::Json;
using schema::Schema;

std::string_view format_name(schema::Format format) {
  switch (format) {
    case schema::Format::Int32: return "int32";
    case schema::Format::Int64: return "int64";
    case schema::Format::DateTime: return "date-time";
    case schema::Format::None: break;
  }
  return "";
}

void add_bounds(const schema::Bounds& bounds, Json& json) {
  const auto add = [&](const char* key, const std::optional<int64_t>& value) {
    if (value) json.add(key, *value);
  };
  add("minimum", bounds.minimum);
  add("maximum", bounds.maximum);
  add("minLength", bounds.min_length);
  add("maxLength", bounds.max_length);
  add("minItems", bounds.min_items);
  add("maxItems", bounds.max_items);
  add("minProperties", bounds.min_properties);
  if (!bounds.pattern.empty()) json.add("pattern", bounds.pattern);
}

std::string rules_text(std::span<const schema::CelRule> rules) {
  std::string text;
  for (const schema::CelRule& rule : rules) {
    if (!rule.message.empty()) text += fmt::format("{}{}", text.empty() ? "" : "; ", rule.message);
  }
  return text.empty() ? text : "The cluster also checks: " + text;
}

// "labelSelector" -> "LabelSelector"
std::string capitalised(std::string_view key) {
  std::string name(key);
  if (!name.empty()) name.front() = base::to_upper(name.front());
  return name;
}

std::string path_of_definition(std::string_view name) {
  return fmt::format("#/definitions/{}", name);
}

// Writes the definitions of a kind: one for each object with fields, in the order in which they are reached.
// A schema that several types share gets one for each of them.
class SchemaWriter {
 public:
  explicit SchemaWriter(const schema::KindSchema& kind) : kind_(kind) {}

  Json definitions() {
    reference(*kind_.schema, {.type = described_kind(kind_.kind), .key = kind_.kind});
    Json definitions = Json::object();
    for (size_t i = 0; i < reached_.size(); ++i) {
      const Reached one = reached_[i];
      definitions.add(one.name, contents(*one.schema, {.type = one.type, .key = one.name}));
    }
    return definitions;
  }

 private:
  struct Reached {
    const Schema* schema = nullptr;
    std::string_view type;
    std::string name;
  };
  // Where a schema gets its name from: its type; or, if that has no descriptions, the field that led to it.
  struct Place {
    std::string_view type;
    std::string_view key;
  };

  std::string name_of(const Schema& schema, const Place& place) {
    const auto [at, is_new] = names_.try_emplace({&schema, std::string(place.type)});
    if (!is_new) return at->second;
    const bool is_root = reached_.empty();
    const std::string wanted =
        is_root || place.type.empty() ? capitalised(place.key) : std::string(place.type);
    std::string name = wanted;
    for (int number = 2; !taken_.insert(name).second; ++number) name = fmt::format("{}{}", wanted, number);
    reached_.push_back({&schema, place.type, name});
    return at->second = name;
  }

  Json reference(const Schema& schema, const Place& place) {
    return {{"$ref", path_of_definition(name_of(schema, place))}};
  }

  // Objects with fields are definitions; everything else is written in place.
  Json value(const Schema& schema, const Place& place) {
    return schema.properties.empty() ? contents(schema, place) : reference(schema, place);
  }

  Json property(const schema::Property& property, std::string_view type) {
    const Schema& schema = *property.schema;
    const schema::FieldDescription* field = schema::describe_field(type, property.name);
    const Place place{.type = field ? field->type : "", .key = property.name};
    if (!field || field->text.empty()) return value(schema, place);
    if (schema.properties.empty()) return contents(schema, place, field->text);
    // Draft 7 ignores keys beside $ref, so a description needs the $ref in an allOf.
    return {{"description", field->text}, {"allOf", Json::array(std::array{reference(schema, place)})}};
  }

  Json property_of_kind(const schema::Property& one, std::string_view type) {
    if (one.name == "apiVersion") return {{"const", fmt::format("{}/{}", kind_.group, kind_.version)}};
    if (one.name == "kind") return {{"const", kind_.kind}};
    return property(one, type);
  }

  Json required_of_kind() const {
    constexpr std::array<std::string_view, 3> kAlways{"apiVersion", "kind", "metadata"};
    Json required = Json::array(kAlways);
    for (const std::string_view name : kind_.schema->required) {
      if (!base::contains(kAlways, name)) required.add(name);
    }
    return required;
  }

  // `words` are the field's description.
  Json contents(const Schema& schema, const Place& place, std::string_view words = "") {
    const bool is_kind = &schema == kind_.schema;
    Json json = Json::object();
    std::string description(words);
    if (const std::string rules = rules_text(schema.rules); !rules.empty())
      description += (words.empty() ? "" : " ") + rules;
    if (!description.empty()) json.add("description", description);
    if (const std::string_view type = type_name(schema.type); !type.empty()) json.add("type", type);
    if (schema.type == schema::Type::IntOrString)
      json.add("anyOf",
               Json::array(std::array<Json, 2>{Json{{"type", "integer"}}, Json{{"type", "string"}}}));
    if (const std::string_view format = format_name(schema.format); !format.empty())
      json.add("format", format);
    if (!schema.enums.empty()) json.add("enum", Json::array(schema.enums));
    if (!schema.default_json.empty()) json.add("default", Json::written(schema.default_json));
    if (schema.bounds) add_bounds(*schema.bounds, json);
    if (!is_kind && !schema.required.empty()) json.add("required", Json::array(schema.required));
    if (!schema.properties.empty()) {
      Json properties = Json::object();
      for (const schema::Property& one : schema.properties)
        properties.add(one.name, is_kind ? property_of_kind(one, place.type) : property(one, place.type));
      json.add("properties", properties);
      json.add("additionalProperties", false);
    }
    if (schema.additional) json.add("additionalProperties", value(*schema.additional, place));
    if (schema.items) json.add("items", value(*schema.items, place));
    if (is_kind) json.add("required", required_of_kind());
    return json;
  }

  const schema::KindSchema& kind_;
  std::map<std::pair<const Schema*, std::string>, std::string> names_;
  std::set<std::string> taken_;
  std::vector<Reached> reached_;
};

}  // namespace

std::string_view type_name(schema::Type type) {
  switch (type) {
    case schema::Type::Object: return "object";
    case schema::Type::Array: return "array";
    case schema::Type::String: return "string";
    case schema::Type::Integer: return "integer";
    case schema::Type::Number: return "number";
    case schema::Type::Boolean: return "boolean";
    case schema::Type::Any:
    case schema::Type::IntOrString: break;
  }
  return "";
}

std::string_view described_kind(std::string_view kind) {
  return kind == model::kClusterTrainingRuntime ? model::kTrainingRuntime : kind;
}

std::string json_schema_of(const schema::VersionSchemas& version, const schema::KindSchema& kind) {
  const Json reference{{"$ref", path_of_definition(kind.kind)}};
  const Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
                    {"title", fmt::format("{} of Kubeflow Trainer {}", kind.kind, version.trainer)},
                    {"allOf", Json::array(std::array{reference})},
                    {"definitions", SchemaWriter(kind).definitions()}};
  return schema.report(1);
}

std::string file_of(const schema::VersionSchemas& version, const schema::KindSchema& kind) {
  return fmt::format("v{}/{}/{}_{}.json", version.trainer, kind.group, base::lower_case(kind.kind),
                     kind.version);
}

std::vector<const schema::KindSchema*> kinds_of(const schema::VersionSchemas& version) {
  std::vector<const schema::KindSchema*> kinds;
  for (const schema::KindSchema& kind : version.kinds) {
    if (!kind.group.empty()) kinds.push_back(&kind);
  }
  std::ranges::sort(kinds, {}, [](const schema::KindSchema* kind) { return kind->kind; });
  return kinds;
}

std::vector<std::string_view> report_names() {
  std::vector<std::string_view> names;
  for (const auto& [name, schema] : kReportSchemas) names.push_back(name);
  return names;
}

std::string_view report_schema(std::string_view command) {
  for (const auto& [name, schema] : kReportSchemas) {
    if (name == command) return schema;
  }
  return "";
}

}  // namespace trainjobc::json_schema
