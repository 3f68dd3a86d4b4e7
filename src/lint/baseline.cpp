// SPDX-License-Identifier: Apache-2.0

#include "lint/baseline.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/files/paths.h"
#include "lint/report/json.h"
#include "rules/rules.h"
#include "yaml/read/reader.h"

namespace trainjobc::lint {
namespace {

using report::Json;

constexpr int kBaselineVersion = 1;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Without the numbers that a line more above changes: "env[3]" is "env[]", "a.yaml:12:5" is "a.yaml".
std::string without_places(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    while (end < text.size() && is_digit(text[end])) ++end;
    const bool has_digits = end > i + 1;
    if (text[i] == '[' && has_digits && end < text.size() && text[end] == ']') {
      out += "[]";
      i = end + 1;
    } else if (text[i] == ':' && has_digits &&
               (out.ends_with(".yaml") || out.ends_with(".yml") || out.ends_with(".json"))) {
      if (end < text.size() && text[end] == ':') {
        const size_t column = end++;
        while (end < text.size() && is_digit(text[end])) ++end;
        if (end == column + 1) end = column;
      }
      i = end;
    } else {
      out += text[i++];
    }
  }
  return out;
}

KnownFinding known_finding(const base::Diagnostic& found, const std::string& folder) {
  const std::string file = found.location.file ? found.location.file->name() : "";
  const bool is_path = !file.empty() && file != base::kStdin;
  return {is_path ? base::path_from(base::absolute_path(file), folder) : file, found.rule, found.object,
          without_places(found.field), without_places(found.message)};
}

using What = std::tuple<std::string, std::string, std::string, std::string>;

What what_of(const KnownFinding& known) {
  return {known.rule, known.object, known.field, known.message};
}

}  // namespace

std::vector<KnownFinding> known_findings(const base::Diagnostics& findings, const std::string& folder) {
  std::vector<KnownFinding> known;
  for (const base::Diagnostic& found : findings.items()) known.push_back(known_finding(found, folder));
  std::ranges::sort(known);
  return known;
}

std::vector<KnownFinding> drop_known(base::Diagnostics& findings, std::vector<KnownFinding> known,
                                     const std::string& folder) {
  std::map<KnownFinding, size_t> counts;
  for (KnownFinding& one : known) ++counts[std::move(one)];
  findings.retain([&](const base::Diagnostic& found) {
    const auto at = counts.find(known_finding(found, folder));
    if (at == counts.end()) return true;
    if (--at->second == 0) counts.erase(at);
    return false;
  });
  // What is left may be in a file that was renamed.
  std::map<What, std::vector<KnownFinding>> left;
  for (const auto& [one, count] : counts) left[what_of(one)].insert(left[what_of(one)].end(), count, one);
  findings.retain([&](const base::Diagnostic& found) {
    const auto at = left.find(what_of(known_finding(found, folder)));
    if (at == left.end()) return true;
    at->second.pop_back();
    if (at->second.empty()) left.erase(at);
    return false;
  });
  std::vector<KnownFinding> gone;
  for (auto& [what, same] : left) std::ranges::move(same, std::back_inserter(gone));
  std::ranges::sort(gone);
  return gone;
}

std::string baseline_text(const std::vector<KnownFinding>& known) {
  Json findings = Json::array();
  for (const KnownFinding& one : known) {
    findings.add(Json{{"file", one.file},
                      {"rule", one.rule},
                      {"object", one.object},
                      {"field", one.field},
                      {"message", one.message}});
  }
  return Json{{"version", kBaselineVersion}, {"findings", findings}}.report();
}

std::variant<std::vector<KnownFinding>, base::Diagnostics> read_baseline(const base::SourceFile& file) {
  base::Arena arena;
  base::Diagnostics problems;
  const std::vector<yaml::Document> documents = yaml::read(file, arena, problems);
  if (!problems.empty()) return problems;
  const yaml::Node* root = documents.size() == 1 ? documents.front().root : nullptr;
  const yaml::Node* version = root ? root->get("version") : nullptr;
  const yaml::Node* findings = root ? root->get("findings") : nullptr;
  const bool is_one = version && version->as_int() == kBaselineVersion && findings && findings->is_list();
  if (!is_one) {
    base::Diagnostics refused;
    refused.add(rules::finding("config/invalid", "this is not a baseline that this trainjobc can read",
                               "write a new one with --write-baseline", {&file, 1, 1, 1, 1}));
    return refused;
  }
  std::vector<KnownFinding> known;
  for (const yaml::Node* one : findings->items()) {
    const auto text = [&](std::string_view key) { return std::string(yaml::string_at(*one, key)); };
    known.push_back({text("file"), text("rule"), text("object"), text("field"), text("message")});
  }
  return known;
}

}  // namespace trainjobc::lint
