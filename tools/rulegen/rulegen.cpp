// SPDX-License-Identifier: Apache-2.0

// rulegen OUT PAGE...: writes the rules (rules/STAGE/NAME.md, which rules/README.md describes) as one C++
// file of constants, which defines rules::all_rules(). A page that says too little or too much is an error.
#include <algorithm>
#include <array>
#include <filesystem>
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

struct Rule {
  std::string id;  // advice/image-tag
  std::map<std::string, std::string, std::less<>> facts;
  std::string summary;
  std::string explanation;
};

// The facts that a page may state. The binary has the first three; the others are for the site and the test.
constexpr std::array<std::string_view, 10> kFacts{"severity",    "stage",        "exception", "since",
                                                  "command",     "mend-command", "encoding",  "also",
                                                  "unreachable", "fix"};

// Names of the page and their C++ constants.
const std::map<std::string, std::string, std::less<>> kSeverities{
    {"error", "Error"}, {"warning", "Warning"}, {"info", "Info"}};
const std::map<std::string, std::string, std::less<>> kStages{
    {"yaml", "Yaml"}, {"input", "Input"}, {"jobset", "JobSet"}, {"job", "Job"}, {"advice", "Advice"}};

using Lines = std::vector<std::string>;

Lines read_lines(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("can't be read");
  Lines lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string trimmed(std::string_view text) {
  text = text.substr(0, text.find("  #"));
  const size_t begin = std::min(text.find_first_not_of(' '), text.size());
  return std::string(text.substr(begin, text.find_last_not_of(' ') + 1 - begin));
}

// Reads `key: value` lines up to the second ---. Returns the number of lines.
size_t read_facts(const Lines& lines, Rule& rule) {
  if (lines.empty() || lines[0] != "---") throw std::runtime_error("does not begin with ---");
  size_t at = 1;
  for (; at < lines.size() && lines[at] != "---"; ++at) {
    const size_t colon = std::min(lines[at].find(": "), lines[at].size());
    const std::string key = lines[at].substr(0, colon);
    if (std::find(kFacts.begin(), kFacts.end(), key) == kFacts.end() || colon == lines[at].size())
      throw std::runtime_error("unknown fact \"" + lines[at] + "\"");
    rule.facts[key] = trimmed(std::string_view(lines[at]).substr(colon + 2));
  }
  return at + 1;
}

// Without the backslashes that keep Markdown from reading <name> as HTML.
std::string unescaped(std::string text) {
  for (size_t at = text.find("\\<"); at != std::string::npos; at = text.find("\\<", at)) text.erase(at, 1);
  return text;
}

// A paragraph, and after an empty line an example, indented by four spaces.
std::string read_explanation(const Lines& lines, size_t& at) {
  std::string out;
  for (; at < lines.size() && !lines[at].empty(); ++at) out += (out.empty() ? "" : " ") + lines[at];
  out = unescaped(std::move(out));
  for (++at; at < lines.size() && !lines[at].starts_with("## "); ++at) {
    if (lines[at].empty()) continue;
    if (!lines[at].starts_with("    "))
      throw std::runtime_error("more than one paragraph, or an example without indentation");
    out += (lines[at - 1].empty() ? "\n\n" : "\n") + lines[at];
  }
  return out;
}

Rule read(const std::filesystem::path& path) {
  const Lines lines = read_lines(path);
  Rule rule;
  rule.id = path.parent_path().filename().string() + '/' + path.stem().string();
  rule.facts["stage"] = path.parent_path().filename().string();
  size_t at = read_facts(lines, rule);
  if (at + 2 >= lines.size() || !lines[at].starts_with("# ") || !lines[at + 1].empty())
    throw std::runtime_error("no line \"# Summary\" after the facts");
  rule.summary = unescaped(lines[at].substr(2));
  at += 2;
  rule.explanation = read_explanation(lines, at);
  if (at >= lines.size() || lines[at] != "## Example") throw std::runtime_error("no section \"## Example\"");
  return rule;
}

std::string constant(const Rule& rule, std::string_view fact,
                     const std::map<std::string, std::string, std::less<>>& names) {
  const auto value = rule.facts.find(fact);
  const auto name = value == rule.facts.end() ? names.end() : names.find(value->second);
  if (name == names.end()) throw std::runtime_error("no valid " + std::string(fact));
  return name->second;
}

std::string row(const Rule& rule) {
  std::string out = "    {" + cpp_literal(rule.id) + ", Stage::" + constant(rule, "stage", kStages) +
                    ", Severity::" + constant(rule, "severity", kSeverities) + ", " +
                    cpp_literal(rule.summary) + ",\n     " + cpp_literal(rule.explanation);
  if (rule.facts.contains("exception")) out += ", Severity::" + constant(rule, "exception", kSeverities);
  return out + "},\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() < 2) {
    std::cerr << "usage: rulegen OUT PAGE...\n";
    return 2;
  }
  std::vector<std::pair<std::string, std::string>> rows;  // by id
  for (size_t i = 1; i < args.size(); ++i) {
    try {
      const Rule rule = read(args[i]);
      rows.emplace_back(rule.id, row(rule));
    } catch (const std::exception& error) {
      std::cerr << "rulegen: " << args[i] << ": " << error.what() << '\n';
      return 1;
    }
  }
  std::sort(rows.begin(), rows.end());
  std::ofstream out(args[0], std::ios::binary);
  out << "// Generated by tools/rulegen from rules/.\n#include \"rules/rules.h\"\n\nnamespace "
         "trainjobc::rules {\n"
         "namespace {\n\nusing base::Severity;\nusing base::Stage;\n\nconstexpr Rule kRules[] = {\n";
  for (const auto& [id, text] : rows) out << text;
  out << "};\n\n}  // namespace\n\nstd::span<const Rule> all_rules() { return kRules; }\n\n"
         "}  // namespace trainjobc::rules\n";
  out.close();
  if (!out) {
    std::cerr << "rulegen: can't write " << args[0] << '\n';
    return 1;
  }
}
