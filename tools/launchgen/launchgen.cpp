// SPDX-License-Identifier: Apache-2.0

// launchgen OUT launchers/programs.yaml launchers/shell.yaml: writes the launchers, and the words of command
// lines and scripts, as one C++ file of constants (src/launch/programs.h). A field or a condition that
// launchers/README.md does not describe is an error.
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cpp_literal.h"

namespace {

using trainjobc::tools::cpp_literal;

// In the order of launch::Setting.
constexpr std::array<std::string_view, 10> kSettings{"nodes",   "processes", "total",   "world",    "rank",
                                                     "address", "port",      "backend", "endpoint", "config"};
constexpr std::array<std::string_view, 13> kOthers{"name",    "programs", "modules", "commands", "when",
                                                   "version", "like",     "family",  "script",   "switches",
                                                   "cases",   "hint",     "instead"};
constexpr std::array<std::string_view, 4> kNew{"new", "page", "ray", "torchrun"};
constexpr std::array<std::string_view, 7> kCaseFields{"if",   "then",   "because", "blame",
                                                      "hint", "remove", "unknown"};
const std::map<std::string, std::string, std::less<>> kResults{
    {"world", "World"}, {"one", "One"},       {"alone", "Alone"}, {"waits", "Waits"},
    {"fails", "Fails"}, {"driver", "Driver"}, {"told", "Told"}};

template <class List>
bool is_in(const List& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

std::string capital(std::string_view word) {
  std::string text(word);
  text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

using Row = std::map<std::string, YAML::Node, std::less<>>;

// The constants that rows refer to, before the rows.
class Output {
 public:
  std::string text;

  // The name of a constant array; "{}" for an empty one.
  std::string array(const std::string& type, const std::vector<std::string>& items) {
    if (items.empty()) return "{}";
    const std::string name = "kList" + std::to_string(count_++);
    text += "constexpr " + type + " " + name + "[] = {";
    for (const std::string& item : items) text += item + ", ";
    text += "};\n";
    return name;
  }

 private:
  int count_ = 0;
};

std::vector<std::string> strings_of(const YAML::Node& node) {
  std::vector<std::string> items;
  for (const YAML::Node& item : node) items.push_back(cpp_literal(item.as<std::string>()));
  return items;
}

// "--num-machines>1", "device=", "$PET_NNODES", "gpus", or a value.
std::string source_of(std::string text) {
  if (text == "gpus") return "{Source::Kind::Gpus, \"\"}";
  if (text.starts_with('$')) return "{Source::Kind::Variable, " + cpp_literal(text.substr(1)) + "}";
  if (text.ends_with('='))
    return "{Source::Kind::Flag, " + cpp_literal(text.substr(0, text.size() - 1)) + "}";
  if (!text.starts_with('-')) return "{Source::Kind::Value, " + cpp_literal(text) + "}";
  const bool is_above = text.ends_with(">1");
  if (is_above) text.erase(text.size() - 2);
  return "{Source::Kind::Flag, " + cpp_literal(text) + (is_above ? ", true}" : "}");
}

// [!]NAME[=VALUE], [!]NAME>1
std::string condition_of(std::string text) {
  const bool is_negated = text.starts_with('!');
  if (is_negated) text.erase(0, 1);
  const bool is_above = text.ends_with(">1");
  if (is_above) text.erase(text.size() - 2);
  const size_t equals = std::min(text.find('='), text.size());
  const std::string value = equals < text.size() ? text.substr(equals + 1) : "";
  std::string name = text.substr(0, equals);
  std::string kind;
  if (name.starts_with('-')) {
    kind = "Flag";
  } else if (name.starts_with('$')) {
    kind = "Variable";
    name.erase(0, 1);
  } else if (name.starts_with("many:")) {
    kind = "Many";
    name.erase(0, 5);
  } else if (name == "gpus" || name == "flags" || name == "yaml") {
    kind = capital(name);
    name.clear();
  } else if (const auto at = std::find(kSettings.begin(), kSettings.end(), name); at != kSettings.end()) {
    return "{Condition::Kind::Setting, \"\", " + cpp_literal(value) + ", Setting::" + capital(name) + ", " +
           (is_above ? "true, " : "false, ") + (is_negated ? "true}" : "false}");
  } else {
    throw std::runtime_error("unknown condition \"" + text + "\"");
  }
  return "{Condition::Kind::" + kind + ", " + cpp_literal(name) + ", " + cpp_literal(value) +
         ", Setting::Nodes, " + (is_above ? "true, " : "false, ") + (is_negated ? "true}" : "false}");
}

std::string conditions_of(const YAML::Node& node, Output& out) {
  std::vector<std::string> items;
  for (const YAML::Node& item : node) items.push_back(condition_of(item.as<std::string>()));
  return out.array("Condition", items);
}

std::string text_at(const YAML::Node& node, const char* key) {
  return cpp_literal(node[key] ? node[key].as<std::string>() : "");
}

std::string case_of(const YAML::Node& node, Output& out) {
  for (const auto& field : node) {
    if (!is_in(kCaseFields, field.first.as<std::string>()))
      throw std::runtime_error("unknown field \"" + field.first.as<std::string>() + "\" of a case");
  }
  const std::string then = node["then"] ? node["then"].as<std::string>() : "";
  if (!kResults.contains(then)) throw std::runtime_error("unknown result \"" + then + "\"");
  return "{" + conditions_of(node["if"], out) + ", Result::" + kResults.at(then) + ", " +
         text_at(node, "because") + ", " + text_at(node, "blame") + ", " + text_at(node, "hint") + ", " +
         (node["remove"] && node["remove"].as<bool>() ? "true" : "false") + ", " +
         (node["unknown"] && node["unknown"].as<bool>() ? "true" : "false") + "}";
}

// The row, with what it has from another one.
Row read_row(const YAML::Node& node, const std::map<std::string, Row, std::less<>>& rows) {
  Row row;
  if (node["like"]) {
    row = rows.at(node["like"].as<std::string>());
    for (const char* own : {"name", "programs", "modules", "commands", "when", "new", "page"}) row.erase(own);
  }
  for (const auto& field : node) {
    const std::string name = field.first.as<std::string>();
    if (!is_in(kSettings, name) && !is_in(kOthers, name) && !is_in(kNew, name))
      throw std::runtime_error("unknown field \"" + name + "\"");
    row.erase(name);  // assigning to a YAML::Node would change the other row too
    row.emplace(name, field.second);
  }
  return row;
}

std::string literal(const Row& row, std::string_view name) {
  const auto at = row.find(name);
  return cpp_literal(at == row.end() ? "" : at->second.as<std::string>());
}

bool is_true(const Row& row, std::string_view name) {
  const auto at = row.find(name);
  return at != row.end() && at->second.as<bool>();
}

std::string words(const Row& row, std::string_view name, Output& out) {
  const auto at = row.find(name);
  return at == row.end() ? "{}" : out.array("std::string_view", strings_of(at->second));
}

std::string program_of(const Row& row, Output& out) {
  std::string settings;
  for (const std::string_view name : kSettings) {
    std::vector<std::string> sources;
    if (const auto at = row.find(name); at != row.end()) {
      for (const YAML::Node& source : at->second) sources.push_back(source_of(source.as<std::string>()));
    }
    settings += out.array("Source", sources) + ", ";
  }
  std::vector<std::string> cases;
  for (const YAML::Node& one : row.at("cases")) cases.push_back(case_of(one, out));
  const auto when = row.find("when");
  return "{" + literal(row, "name") + ", " + words(row, "programs", out) + ", " + words(row, "modules", out) +
         ", " + words(row, "commands", out) + ", " +
         (when == row.end() ? "{}" : conditions_of(when->second, out)) + ", " + literal(row, "version") +
         ", " + literal(row, "family") + ", " + (is_true(row, "script") ? "true" : "false") + ", " +
         (is_true(row, "ray") ? "true" : "false") + ", " + (is_true(row, "torchrun") ? "true" : "false") +
         ", " + words(row, "switches", out) + ", {{" + settings + "}}, " + out.array("Case", cases) + ", " +
         literal(row, "hint") + ", " + literal(row, "instead") + ", " + words(row, "new", out) + ", " +
         literal(row, "page") + "}";
}

std::string programs_of(const YAML::Node& document, Output& out) {
  std::map<std::string, Row, std::less<>> rows;
  std::vector<std::string> programs;
  for (const YAML::Node& node : document) {
    const std::string name = node["name"].as<std::string>();
    try {
      const Row row = read_row(node, rows);
      programs.push_back(program_of(row, out));
      rows.try_emplace(name, row);
    } catch (const std::exception& error) {
      throw std::runtime_error(name + ": " + error.what());
    }
  }
  return out.array("Program", programs);
}

std::string wrapper_of(const YAML::Node& node, Output& out) {
  return "{" + out.array("std::string_view", strings_of(node["programs"])) + ", " +
         out.array("std::string_view", strings_of(node["modules"])) + ", " + text_at(node, "subcommand") +
         ", " + out.array("std::string_view", strings_of(node["values"])) + ", " +
         (node["own"] ? node["own"].as<std::string>() : "0") + ", " + text_at(node, "module") + "}";
}

std::string wrappers_of(const YAML::Node& list, Output& out) {
  std::vector<std::string> wrappers;
  for (const YAML::Node& node : list) wrappers.push_back(wrapper_of(node, out));
  return out.array("Wrapper", wrappers);
}

std::string shell_of(const YAML::Node& document, Output& out) {
  std::string text =
      "{" + wrappers_of(document["wrappers"], out) + ", " + wrappers_of(document["tracers"], out);
  for (const char* name : {"shells", "harmless", "keywords", "heads", "starts_others"})
    text += ", " + out.array("std::string_view", strings_of(document[name]));
  return text + "}";
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() != 3) {
    std::cerr << "usage: launchgen OUT programs.yaml shell.yaml\n";
    return 2;
  }
  Output out;
  std::string programs;
  std::string shell;
  try {
    programs = programs_of(YAML::LoadFile(args[1]), out);
    shell = shell_of(YAML::LoadFile(args[2]), out);
  } catch (const std::exception& error) {
    std::cerr << "launchgen: " << error.what() << '\n';
    return 1;
  }
  std::ofstream file(args[0], std::ios::binary);
  file << "// Generated by tools/launchgen from launchers/.\n#include \"launch/programs.h\"\n\nnamespace "
          "trainjobc::launch {\nnamespace {\n\n"
       << out.text << "\nconstexpr Shell kShell = " << shell
       << ";\n\n}  // namespace\n\nstd::span<const Program> programs() { return " << programs
       << "; }\n\nconst Shell& shell() { return kShell; }\n\n}  // namespace trainjobc::launch\n";
  file.close();
  if (!file) {
    std::cerr << "launchgen: can't write " << args[0] << '\n';
    return 1;
  }
}
