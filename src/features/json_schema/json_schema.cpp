// SPDX-License-Identifier: Apache-2.0

#include "features/json_schema/json_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/text/ascii.h"
#include "model/trainer_names.h"
#include "features/json_schema/descriptions.h"

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

// The definitions of a kind, by the order in which they are reached from the root: each schema once, and once
// more for each place whose fields have descriptions of their own.
class SchemaWriter {
 public:
  explicit SchemaWriter(std::string_view kind) : kind_(kind) {}

  // Writes the root and all below it.
  void write(const Schema& root) {
    number_of(root, std::string(kind_));
    for (size_t i = 0; i < reached_.size(); ++i) definitions_[name_of(i)] = definition(i);
  }

  ordered_json& definitions() { return definitions_; }
  static std::string name_of(size_t number) { return fmt::format("n{}", number); }

 private:
  struct Reached {
    const Schema* schema = nullptr;
    std::string path;  // the first one; the only one with descriptions below
  };

  size_t number_of(const Schema& schema, const std::string& path) {
    const std::string own = has_descriptions_below(path) ? path : "";
    const auto [at, is_new] = numbers_.try_emplace({&schema, own}, reached_.size());
    if (is_new) reached_.push_back({&schema, path});
    return at->second;
  }

  ordered_json reference(const Schema& schema, const std::string& path) {
    return {{"$ref", fmt::format("#/definitions/{}", name_of(number_of(schema, path)))}};
  }

  // Draft 7 ignores what is beside $ref, so that a description needs the $ref in an allOf.
  ordered_json property(const schema::Property& property, const std::string& path) {
    const std::string own = fmt::format("{}.{}", path, property.name);
    ordered_json to = reference(*property.schema, own);
    const std::string_view words = description_of(own);
    if (words.empty()) return to;
    return {{"description", words}, {"allOf", ordered_json::array({std::move(to)})}};
  }

  ordered_json definition(size_t number) {
    const Schema& schema = *reached_[number].schema;
    const std::string path = reached_[number].path;
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
        properties[std::string(one.name)] = property(one, path);
      json["additionalProperties"] = false;
    }
    if (schema.additional) json["additionalProperties"] = reference(*schema.additional, path);
    if (schema.items) json["items"] = reference(*schema.items, path);
    return json;
  }

  std::string_view kind_;
  std::map<std::pair<const Schema*, std::string>, size_t> numbers_;
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
  SchemaWriter writer(described_kind(kind.kind));
  writer.write(*kind.schema);
  ordered_json& root = writer.definitions()[SchemaWriter::name_of(0)];
  root["properties"]["apiVersion"] = {{"const", fmt::format("{}/{}", kind.group, kind.version)}};
  root["properties"]["kind"] = {{"const", kind.kind}};
  std::vector<std::string> required{"apiVersion", "kind", "metadata"};
  for (const std::string_view name : kind.schema->required) {
    if (std::ranges::find(required, name) == required.end()) required.emplace_back(name);
  }
  root["required"] = required;
  const ordered_json schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
                            {"title", fmt::format("{} of Kubeflow Trainer {}", kind.kind, version.trainer)},
                            {"allOf", ordered_json::array({{{"$ref", "#/definitions/n0"}}})},
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
