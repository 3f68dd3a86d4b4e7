// SPDX-License-Identifier: Apache-2.0

#include "features/json_schema/json_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/text/text.h"
#include "model/trainer_names.h"

namespace trainjobc::json_schema {
namespace {

using nlohmann::ordered_json;
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

void add_bounds(const schema::Bounds& bounds, ordered_json& json) {
  const auto add = [&](const char* key, const std::optional<int64_t>& value) {
    if (value) json[key] = *value;
  };
  add("minimum", bounds.minimum);
  add("maximum", bounds.maximum);
  add("minLength", bounds.min_length);
  add("maxLength", bounds.max_length);
  add("minItems", bounds.min_items);
  add("maxItems", bounds.max_items);
  add("minProperties", bounds.min_properties);
  if (!bounds.pattern.empty()) json["pattern"] = bounds.pattern;
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

// The definitions of a kind: one for each object with fields, by the order in which they are reached. A
// schema that several types share has one for each of them.
class SchemaWriter {
 public:
  // Writes the definition of `root`, whose fields `type` describes, and all below it.
  void write(const Schema& root, std::string_view name, std::string_view type) {
    reference(root, {.type = type, .key = name});
    for (size_t i = 0; i < reached_.size(); ++i) {
      const Reached one = reached_[i];
      definitions_[one.name] = contents(*one.schema, {.type = one.type, .key = one.name});
    }
  }

  ordered_json& definitions() { return definitions_; }

 private:
  struct Reached {
    const Schema* schema = nullptr;
    std::string_view type;
    std::string name;
  };
  // What names a schema: its type; or, if it has no descriptions, the field that led to it.
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

  ordered_json reference(const Schema& schema, const Place& place) {
    return {{"$ref", fmt::format("#/definitions/{}", name_of(schema, place))}};
  }

  // Objects with fields have definitions; all else is written where it is.
  ordered_json value(const Schema& schema, const Place& place) {
    return schema.properties.empty() ? contents(schema, place) : reference(schema, place);
  }

  // Draft 7 ignores what is beside $ref, so that a description needs the $ref in an allOf.
  ordered_json property(const schema::Property& property, std::string_view type) {
    const schema::FieldDescription* field = schema::describe_field(type, property.name);
    ordered_json to = value(*property.schema, {.type = field ? field->type : "", .key = property.name});
    if (!field || field->text.empty()) return to;
    if (to.contains("$ref"))
      return {{"description", field->text}, {"allOf", ordered_json::array({std::move(to)})}};
    std::string words(field->text);
    if (to.contains("description")) words += " " + to["description"].get<std::string>();
    ordered_json described{{"description", words}};
    for (auto& [key, one] : to.items()) described.emplace(key, std::move(one));
    return described;
  }

  ordered_json contents(const Schema& schema, const Place& place) {
    ordered_json json = ordered_json::object();
    if (const std::string rules = rules_text(schema.rules); !rules.empty()) json["description"] = rules;
    if (const std::string_view type = type_name(schema.type); !type.empty()) json["type"] = type;
    if (schema.type == schema::Type::IntOrString)
      json["anyOf"] = ordered_json::array({{{"type", "integer"}}, {{"type", "string"}}});
    if (const std::string_view format = format_name(schema.format); !format.empty()) json["format"] = format;
    if (!schema.enums.empty()) json["enum"] = schema.enums;
    if (!schema.default_json.empty())
      json["default"] = ordered_json::parse(schema.default_json, nullptr, false);
    if (schema.bounds) add_bounds(*schema.bounds, json);
    if (!schema.required.empty()) json["required"] = schema.required;
    if (!schema.properties.empty()) {
      ordered_json& properties = json["properties"] = ordered_json::object();
      for (const schema::Property& one : schema.properties)
        properties[std::string(one.name)] = property(one, place.type);
      json["additionalProperties"] = false;
    }
    if (schema.additional) json["additionalProperties"] = value(*schema.additional, place);
    if (schema.items) json["items"] = value(*schema.items, place);
    return json;
  }

  std::map<std::pair<const Schema*, std::string>, std::string> names_;
  std::set<std::string> taken_;
  std::vector<Reached> reached_;
  ordered_json definitions_ = ordered_json::object();
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
  SchemaWriter writer;
  writer.write(*kind.schema, kind.kind, described_kind(kind.kind));
  ordered_json& root = writer.definitions()[std::string(kind.kind)];
  root["properties"]["apiVersion"] = {{"const", fmt::format("{}/{}", kind.group, kind.version)}};
  root["properties"]["kind"] = {{"const", kind.kind}};
  std::vector<std::string> required{"apiVersion", "kind", "metadata"};
  for (const std::string_view name : kind.schema->required) {
    if (std::ranges::find(required, name) == required.end()) required.emplace_back(name);
  }
  root["required"] = required;
  const ordered_json schema{
      {"$schema", "http://json-schema.org/draft-07/schema#"},
      {"title", fmt::format("{} of Kubeflow Trainer {}", kind.kind, version.trainer)},
      {"allOf", ordered_json::array({{{"$ref", fmt::format("#/definitions/{}", kind.kind)}}})},
      {"definitions", std::move(writer.definitions())}};
  return schema.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
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

}  // namespace trainjobc::json_schema
