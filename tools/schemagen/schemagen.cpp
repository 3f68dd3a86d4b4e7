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
#include <iterator>
#include <map>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cpp_literal.h"
#include "schema/schema.h"
#include "schema/validate.h"
#include "yaml/node.h"
#include "yaml/read/reader.h"
#include "yaml/write/writer.h"

namespace {

using trainjobc::tools::cpp_literal;
using trainjobc::yaml::Entry;
using trainjobc::yaml::Node;

constexpr std::string_view quantity_pattern =
    R"(^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$)";

// Keyword, member of schema::Bounds; in the order of the members.
using Keyword = std::pair<std::string_view, std::string_view>;
constexpr std::array<Keyword, 7> number_bounds{{
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

std::string json(const Node& node) {
  std::string out;
  write_json(node, trainjobc::yaml::KeyOrder::AsIs, 0, out);
  return out;
}

const Node& field(const Node& facts, std::string_view key) {
  const Node* value = facts.get(key);
  if (value == nullptr) throw std::runtime_error("no " + std::string(key));
  return *value;
}

std::string string(const Node& node) {
  if (!node.is_string()) throw std::runtime_error("not a string: " + json(node));
  return std::string(node.text());
}

// "" if there is none.
std::string optional_string(const Node& facts, std::string_view key) {
  const Node* value = facts.get(key);
  return value ? string(*value) : "";
}

bool optional_flag(const Node& facts, std::string_view key) {
  const Node* value = facts.get(key);
  if (value && !value->is_bool()) throw std::runtime_error("not a boolean: " + json(*value));
  return value && value->as_bool() == true;
}

std::span<const Entry> entries(const Node& map) {
  if (!map.is_map()) throw std::runtime_error("not a map: " + json(map));
  return map.entries();
}

std::span<const Node* const> items(const Node& list) {
  if (!list.is_list()) throw std::runtime_error("not a list: " + json(list));
  return list.items();
}

std::string literal(const Node& text) {
  return cpp_literal(string(text));
}

std::string node_name(const Node& id) {
  return "&node_" + string(id);
}

std::string enumerator(std::string_view type, const Node& facts, std::string_view key,
                       const std::map<std::string, std::string>& names) {
  const auto found = names.find(optional_string(facts, key));
  if (found == names.end()) throw std::runtime_error(std::string(key) + ": " + json(field(facts, key)));
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

  void add_descriptions(const Node& types);
  void add_node(const std::string& id, const Node& facts);
  std::string properties(const std::string& id, const Node& facts);
  std::string rules(const std::string& id, const Node& facts);
  std::string bounds(const std::string& id, const Node& facts);
  std::string strings(const Node& list);

  std::map<std::string, std::string> node_lines_;    // id -> facts as text
  std::map<std::string, std::string> string_lists_;  // initialiser -> name of its array
  std::string lists_;
  std::string nodes_;
  std::vector<Version> versions_;
  std::map<std::string, std::string> descriptions_;  // "Container.image" -> row
};

// The name of the array that holds these strings.
std::string Generator::strings(const Node& list) {
  std::string init;
  for (const Node* item : items(list)) init += (init.empty() ? "" : ", ") + literal(*item);
  const auto [found, is_new] =
      string_lists_.try_emplace(init, "strings_" + std::to_string(string_lists_.size()));
  if (is_new) lists_ += "constexpr std::string_view " + found->second + "[] = {" + init + "};\n";
  return found->second;
}

// [node, wire, patchStrategy, patchMergeKey]; the last two may be missing.
std::string Generator::properties(const std::string& id, const Node& facts) {
  std::map<std::string, std::string> rows;
  for (const Entry& entry : entries(facts)) {
    const auto edge = items(*entry.value);
    if (edge.size() < 2) throw std::runtime_error("not a property: " + json(*entry.value));
    const std::string name(entry.key);
    std::string row = "{" + cpp_literal(name) + ", " + node_name(*edge[0]) + ", Wire::" + string(*edge[1]);
    if (edge.size() > 2) {
      const std::string strategy = string(*edge[2]);
      if (strategy != "merge" && strategy != "merge,retainKeys")
        throw std::runtime_error("strategy " + strategy);
      row += strategy == "merge" ? ", true, false" : ", true, true";
      row += ", " + (edge.size() > 3 ? literal(*edge[3]) : cpp_literal(""));
    }
    rows[name] = row + "}";
  }
  nodes_ += "constexpr Property properties_" + id + "[] = {\n";
  for (const auto& [name, row] : rows) nodes_ += "    " + row + ",\n";
  nodes_ += "};\n";
  return "properties_" + id;
}

std::string Generator::rules(const std::string& id, const Node& facts) {
  nodes_ += "constexpr CelRule rules_" + id + "[] = {\n";
  for (const Node* rule : items(facts)) {
    if (rule->size() != 2) throw std::runtime_error("a rule with more than a message: " + json(*rule));
    const Node& expression = field(*rule, "rule");
    if (!trainjobc::schema::knows_cel_rule(string(expression)))
      throw std::runtime_error("src/schema/cel.cpp has no function for the CEL rule " + json(*rule));
    nodes_ += "    {" + literal(expression) + ",\n     " + literal(field(*rule, "message")) + "},\n";
  }
  nodes_ += "};\n";
  return "rules_" + id;
}

// The name of the node's bounds; "" if it has none.
std::string Generator::bounds(const std::string& id, const Node& facts) {
  std::string init;
  for (const auto& [keyword, member] : number_bounds) {
    const Node* bound = facts.get(keyword);
    if (bound) init += "." + std::string(member) + " = " + json(*bound) + ", ";
  }
  if (const Node* pattern = facts.get("pattern")) init += ".pattern = " + literal(*pattern) + ", ";
  if (init.empty()) return "";
  nodes_ += "constexpr Bounds bounds_" + id + " = {" + init.substr(0, init.size() - 2) + "};\n";
  return "bounds_" + id;
}

void check_keywords(const Node& facts) {
  for (const Entry& entry : entries(facts)) {
    const bool known = std::ranges::find(other_keywords, entry.key) != other_keywords.end() ||
                       std::ranges::find(number_bounds, entry.key, &Keyword::first) != number_bounds.end();
    if (!known) throw std::runtime_error("unknown keyword " + std::string(entry.key));
  }
  const Node* pattern = facts.get("pattern");
  if (pattern && !trainjobc::schema::knows_pattern(string(*pattern)))
    throw std::runtime_error("src/schema/pattern.cpp has no function for the pattern " + json(*pattern));
  const bool int_or_string = optional_flag(facts, "x-kubernetes-int-or-string");
  if (int_or_string && facts.get("type")) throw std::runtime_error("int-or-string with a type");
  const Node* either = facts.get("anyOf");
  if ((either != nullptr) != int_or_string ||
      (int_or_string && json(*either) != R"([{"type":"integer"},{"type":"string"}])")) {
    throw std::runtime_error("anyOf other than int-or-string's");
  }
}

void Generator::add_node(const std::string& id, const Node& facts) {
  const std::string line = json(facts);
  const auto [found, is_new] = node_lines_.try_emplace(id, line);
  if (!is_new) {
    if (found->second != line) throw std::runtime_error("two nodes share the id");
    return;
  }
  check_keywords(facts);

  std::string init;
  const auto member = [&](std::string_view name, const std::string& value) {
    init += "    ." + std::string(name) + " = " + value + ",\n";
  };
  const bool int_or_string = facts.get("x-kubernetes-int-or-string") != nullptr;
  const std::string type = enumerator("Type", facts, "type",
                                      {{"", "Any"},
                                       {"object", "Object"},
                                       {"array", "Array"},
                                       {"string", "String"},
                                       {"integer", "Integer"},
                                       {"number", "Number"},
                                       {"boolean", "Boolean"}});
  member("type", int_or_string ? "Type::IntOrString" : type);
  if (facts.get("format")) {
    member("format", enumerator("Format", facts, "format",
                                {{"int32", "Int32"}, {"int64", "Int64"}, {"date-time", "DateTime"}}));
  }
  if (facts.get("x-kubernetes-list-type")) {
    member("list_type", enumerator("ListType", facts, "x-kubernetes-list-type",
                                   {{"atomic", "Atomic"}, {"map", "Map"}, {"set", "Set"}}));
  }
  if (int_or_string && optional_string(facts, "pattern") == quantity_pattern) member("quantity", "true");
  if (optional_string(facts, "x-kubernetes-map-type") == "atomic") member("atomic_map", "true");
  if (const Node* fields = facts.get("properties")) member("properties", properties(id, *fields));
  if (const Node* item = facts.get("items")) member("items", node_name(*item));
  if (const Node* values = facts.get("additionalProperties")) member("additional", node_name(*values));
  if (const Node* names = facts.get("required")) member("required", strings(*names));
  if (const Node* values = facts.get("enum")) member("enums", strings(*values));
  if (const Node* keys = facts.get("x-kubernetes-list-map-keys")) member("list_keys", strings(*keys));
  if (const Node* found_rules = facts.get("x-kubernetes-validations"))
    member("rules", rules(id, *found_rules));
  if (const std::string name = bounds(id, facts); !name.empty()) member("bounds", "&" + name);
  if (const Node* value = facts.get("default")) member("default_json", cpp_literal(json(*value)));
  nodes_ += "constexpr Schema node_" + id + " = {\n" + init + "};\n";
}

// {"Container": {"image": {"text": "…", "type": "…"}}}; the key "" has the type that describes all other
// fields.
void Generator::add_descriptions(const Node& types) {
  for (const Entry& type : entries(types)) {
    for (const Entry& described : entries(*type.value)) {
      const std::string of = optional_string(*described.value, "type");
      const std::string name = std::string(type.key) + "." + std::string(described.key);
      if (!of.empty() && !types.get(of)) throw std::runtime_error(name + ": no type " + of);
      descriptions_[name] = "    {" + cpp_literal(name) + ", " +
                            cpp_literal(optional_string(*described.value, "text")) + ", " + cpp_literal(of) +
                            "},\n";
    }
  }
}

void Generator::add_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("can't be read");
  const trainjobc::yaml::Text text(std::string(std::istreambuf_iterator<char>(in), {}));
  if (text.root() == nullptr) throw std::runtime_error("is not JSON");
  const Node& file = *text.root();
  if (!file.get("nodes")) return add_descriptions(file);
  for (const Entry& node : entries(field(file, "nodes"))) {
    const std::string id(node.key);
    try {
      add_node(id, *node.value);
    } catch (const std::exception& error) {
      throw std::runtime_error("node " + id + ": " + error.what());
    }
  }
  Version version{string(field(file, "trainer")), ""};
  for (const Entry& kind : entries(field(file, "kinds"))) {
    const Node& facts = *kind.value;
    const bool namespaced = !facts.get("scope") || optional_string(facts, "scope") == "Namespaced";
    version.kinds += "    {" + cpp_literal(kind.key) + ", " + cpp_literal(optional_string(facts, "group")) +
                     ", " + cpp_literal(optional_string(facts, "version")) +
                     (namespaced ? ", true, " : ", false, ") + node_name(field(facts, "node")) + "},\n";
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
