// SPDX-License-Identifier: Apache-2.0

// schemagen OUT FACTS...: writes the schema facts of every version (schema/v*.json) and the descriptions of
// fields (schema/descriptions.json) as one C++ file of constant tables, which defines schema::all_versions()
// and schema::all_descriptions(). Nodes are named by digests of their content, so those that versions share
// are written once. Any fact that the tables can't hold is an error, and so is a CEL rule or a pattern that
// src/schema has no code for: it would hold for everything at run time.
#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cpp_literal.h"
#include "schema/schema.h"
#include "schema/validate.h"

namespace {

using Json = nlohmann::ordered_json;
using trainjobc::tools::cpp_literal;

constexpr std::string_view quantity_pattern =
    R"(^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$)";

// Keyword, member of schema::Bounds; in the order of the members.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> number_bounds{{
    {"minimum", "minimum"},
    {"maximum", "maximum"},
    {"minLength", "min_length"},
    {"maxLength", "max_length"},
    {"minItems", "min_items"},
    {"maxItems", "max_items"},
    {"minProperties", "min_properties"},
}};

constexpr std::array<std::string_view, 15> other_keywords{
    "type",
    "format",
    "pattern",
    "properties",
    "items",
    "additionalProperties",
    "required",
    "enum",
    "default",
    "anyOf",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
    "x-kubernetes-validations",
};

std::string literal(const Json& text) {
  return cpp_literal(text.get_ref<const std::string&>());
}

std::string enumerator(std::string_view type, const Json& facts, const char* key,
                       const std::map<std::string, std::string>& names) {
  const auto found = names.find(facts.value(key, ""));
  if (found == names.end()) throw std::runtime_error(std::string(key) + ": " + facts.at(key).dump());
  return std::string(type) + "::" + found->second;
}

class Generator {
 public:
  void add_file(const std::string& path);
  std::string text() const;

 private:
  struct Version {
    std::string trainer;
    std::string kinds;  // rows
  };

  void add_descriptions(const Json& types);
  void add_node(const std::string& id, const Json& facts);
  std::string properties(const std::string& id, const Json& facts);
  std::string rules(const std::string& id, const Json& facts);
  std::string bounds(const std::string& id, const Json& facts);
  std::string strings(const Json& list);

  std::map<std::string, std::string> node_lines_;    // id -> facts as text
  std::map<std::string, std::string> string_lists_;  // initialiser -> name of its array
  std::string lists_;
  std::string nodes_;
  std::vector<Version> versions_;
  std::map<std::string, std::string> descriptions_;  // "Container.image" -> row
};

// The name of the array that holds these strings.
std::string Generator::strings(const Json& list) {
  std::string init;
  for (const Json& item : list) init += (init.empty() ? "" : ", ") + literal(item);
  const auto [found, is_new] =
      string_lists_.try_emplace(init, "strings_" + std::to_string(string_lists_.size()));
  if (is_new) lists_ += "constexpr std::string_view " + found->second + "[] = {" + init + "};\n";
  return found->second;
}

// [node, wire, patchStrategy, patchMergeKey]; the last two may be missing.
std::string Generator::properties(const std::string& id, const Json& facts) {
  std::map<std::string, std::string> rows;
  for (const auto& [name, edge] : facts.items()) {
    std::string row = "{" + cpp_literal(name) + ", &node_" + edge.at(0).get<std::string>() +
                      ", Wire::" + edge.at(1).get<std::string>();
    if (edge.size() > 2) {
      const auto strategy = edge.at(2).get<std::string>();
      if (strategy != "merge" && strategy != "merge,retainKeys")
        throw std::runtime_error("strategy " + strategy);
      row += strategy == "merge" ? ", true, false" : ", true, true";
      row += ", " + (edge.size() > 3 ? literal(edge.at(3)) : cpp_literal(""));
    }
    rows[name] = row + "}";
  }
  nodes_ += "constexpr Property properties_" + id + "[] = {\n";
  for (const auto& [name, row] : rows) nodes_ += "    " + row + ",\n";
  nodes_ += "};\n";
  return "properties_" + id;
}

std::string Generator::rules(const std::string& id, const Json& facts) {
  nodes_ += "constexpr CelRule rules_" + id + "[] = {\n";
  for (const Json& rule : facts) {
    if (rule.size() != 2) throw std::runtime_error("a rule with more than a message: " + rule.dump());
    if (!trainjobc::schema::knows_cel_rule(rule.at("rule").get<std::string>())) {
      throw std::runtime_error("src/schema/cel.cpp has no function for the CEL rule " + rule.dump());
    }
    nodes_ += "    {" + literal(rule.at("rule")) + ",\n     " + literal(rule.at("message")) + "},\n";
  }
  nodes_ += "};\n";
  return "rules_" + id;
}

// The name of the node's bounds; "" if it has none.
std::string Generator::bounds(const std::string& id, const Json& facts) {
  std::string init;
  for (const auto& [keyword, member] : number_bounds) {
    const auto found = facts.find(keyword);
    if (found != facts.end()) init += "." + std::string(member) + " = " + found->dump() + ", ";
  }
  if (facts.contains("pattern")) init += ".pattern = " + literal(facts.at("pattern")) + ", ";
  if (init.empty()) return "";
  nodes_ += "constexpr Bounds bounds_" + id + " = {" + init.substr(0, init.size() - 2) + "};\n";
  return "bounds_" + id;
}

void check_keywords(const Json& facts) {
  for (const auto& entry : facts.items()) {
    const std::string& keyword = entry.key();
    const bool known =
        std::ranges::find(other_keywords, keyword) != other_keywords.end() ||
        std::ranges::any_of(number_bounds, [&](const auto& bound) { return bound.first == keyword; });
    if (!known) throw std::runtime_error("unknown keyword " + keyword);
  }
  if (facts.contains("pattern") &&
      !trainjobc::schema::knows_pattern(facts.at("pattern").get<std::string>())) {
    throw std::runtime_error("src/schema/pattern.cpp has no function for the pattern " +
                             facts.at("pattern").dump());
  }
  const bool int_or_string = facts.value("x-kubernetes-int-or-string", false);
  if (int_or_string && facts.contains("type")) throw std::runtime_error("int-or-string with a type");
  static const Json both = Json::parse(R"([{"type": "integer"}, {"type": "string"}])");
  if (facts.contains("anyOf") != int_or_string || (int_or_string && facts.at("anyOf") != both)) {
    throw std::runtime_error("anyOf other than int-or-string's");
  }
}

void Generator::add_node(const std::string& id, const Json& facts) {
  const auto [found, is_new] = node_lines_.try_emplace(id, facts.dump());
  if (!is_new) {
    if (found->second != facts.dump()) throw std::runtime_error("two nodes share the id");
    return;
  }
  check_keywords(facts);

  std::string init;
  const auto member = [&](std::string_view name, const std::string& value) {
    init += "    ." + std::string(name) + " = " + value + ",\n";
  };
  const bool int_or_string = facts.contains("x-kubernetes-int-or-string");
  const std::string type = enumerator("Type", facts, "type",
                                      {{"", "Any"},
                                       {"object", "Object"},
                                       {"array", "Array"},
                                       {"string", "String"},
                                       {"integer", "Integer"},
                                       {"number", "Number"},
                                       {"boolean", "Boolean"}});
  member("type", int_or_string ? "Type::IntOrString" : type);
  if (facts.contains("format")) {
    member("format", enumerator("Format", facts, "format",
                                {{"int32", "Int32"}, {"int64", "Int64"}, {"date-time", "DateTime"}}));
  }
  if (facts.contains("x-kubernetes-list-type")) {
    member("list_type", enumerator("ListType", facts, "x-kubernetes-list-type",
                                   {{"atomic", "Atomic"}, {"map", "Map"}, {"set", "Set"}}));
  }
  if (int_or_string && facts.value("pattern", "") == quantity_pattern) member("quantity", "true");
  if (facts.value("x-kubernetes-map-type", "") == "atomic") member("atomic_map", "true");
  if (facts.contains("properties")) member("properties", properties(id, facts.at("properties")));
  if (facts.contains("items")) member("items", "&node_" + facts.at("items").get<std::string>());
  if (facts.contains("additionalProperties")) {
    member("additional", "&node_" + facts.at("additionalProperties").get<std::string>());
  }
  if (facts.contains("required")) member("required", strings(facts.at("required")));
  if (facts.contains("enum")) member("enums", strings(facts.at("enum")));
  if (facts.contains("x-kubernetes-list-map-keys")) {
    member("list_keys", strings(facts.at("x-kubernetes-list-map-keys")));
  }
  if (facts.contains("x-kubernetes-validations")) {
    member("rules", rules(id, facts.at("x-kubernetes-validations")));
  }
  if (const std::string name = bounds(id, facts); !name.empty()) member("bounds", "&" + name);
  if (facts.contains("default")) member("default_json", cpp_literal(facts.at("default").dump()));
  nodes_ += "constexpr Schema node_" + id + " = {\n" + init + "};\n";
}

// {"Container": {"image": {"text": "…", "type": "…"}}}; the key "" has the type that describes all other
// fields.
void Generator::add_descriptions(const Json& types) {
  for (const auto& [type, fields] : types.items()) {
    for (const auto& [field, facts] : fields.items()) {
      const std::string of = facts.value("type", "");
      if (!of.empty() && !types.contains(of)) throw std::runtime_error(field + ": no type " + of);
      const std::string name = type + "." + field;
      descriptions_[name] = "    {" + cpp_literal(name) + ", " + cpp_literal(facts.value("text", "")) + ", " +
                            cpp_literal(of) + "},\n";
    }
  }
}

void Generator::add_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("can't be read");
  const Json file = Json::parse(in);
  if (!file.contains("nodes")) return add_descriptions(file);
  for (const auto& [id, facts] : file.at("nodes").items()) {
    try {
      add_node(id, facts);
    } catch (const std::exception& error) {
      throw std::runtime_error("node " + id + ": " + error.what());
    }
  }
  Version version{file.at("trainer"), ""};
  for (const auto& [kind, facts] : file.at("kinds").items()) {
    const bool namespaced = facts.value("scope", "Namespaced") == "Namespaced";
    version.kinds += "    {" + cpp_literal(kind) + ", " + cpp_literal(facts.value("group", "")) + ", " +
                     cpp_literal(facts.value("version", "")) + (namespaced ? ", true" : ", false") +
                     ", &node_" + facts.at("node").get<std::string>() + "},\n";
  }
  versions_.push_back(std::move(version));
}

// "2.10" comes after "2.9".
std::vector<int> parts(const std::string& version) {
  std::vector<int> out;
  std::istringstream in(version);
  for (std::string part; std::getline(in, part, '.');) out.push_back(std::stoi(part));
  return out;
}

std::string Generator::text() const {
  auto versions = versions_;
  std::ranges::sort(versions, {}, [](const Version& version) { return parts(version.trainer); });
  std::string out =
      "// Generated by tools/schemagen from schema/*.json.\n"
      "#include \"schema/schema.h\"\n\nnamespace trainjobc::schema {\n\nnamespace {\n\n" +
      lists_ + "\n" + nodes_;
  std::string rows;
  for (size_t i = 0; i < versions.size(); ++i) {
    const std::string name = "kinds_" + std::to_string(i);
    out += "\nconstexpr KindSchema " + name + "[] = {\n" + versions[i].kinds + "};\n";
    rows += "    {" + cpp_literal(versions[i].trainer) + ", " + name + "},\n";
  }
  std::string descriptions;
  for (const auto& [name, row] : descriptions_) descriptions += row;
  return out + "\nconstexpr VersionSchemas versions[] = {\n" + rows +
         "};\n\nconstexpr FieldDescription descriptions[] = {\n" + descriptions +
         "};\n\n}  // namespace\n\nstd::span<const VersionSchemas> all_versions() { return versions; }\n\n"
         "std::span<const FieldDescription> all_descriptions() { return descriptions; }\n\n"
         "}  // namespace trainjobc::schema\n";
}

}  // namespace

// schema.cpp asks for the tables, which this program is yet to write.
std::span<const trainjobc::schema::VersionSchemas> trainjobc::schema::all_versions() {
  return {};
}

std::span<const trainjobc::schema::FieldDescription> trainjobc::schema::all_descriptions() {
  return {};
}

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() < 2) {
    std::cerr << "usage: schemagen OUT FACTS...\n";
    return 2;
  }
  Generator generator;
  for (size_t i = 1; i < args.size(); ++i) {
    try {
      generator.add_file(args[i]);
    } catch (const std::exception& error) {
      std::cerr << "schemagen: " << args[i] << ": " << error.what() << '\n';
      return 1;
    }
  }
  std::ofstream out(args[0], std::ios::binary);
  out << generator.text();
  out.close();
  if (!out) {
    std::cerr << "schemagen: can't write " << args[0] << '\n';
    return 1;
  }
}
