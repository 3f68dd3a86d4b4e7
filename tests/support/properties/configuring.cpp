// SPDX-License-Identifier: Apache-2.0

#include "support/properties/configuring.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>
#include <variant>
#include <vector>

#include "base/text/glob.h"
#include "inputs/config.h"
#include "lint/lint.h"
#include "rules/rules.h"

namespace trainjobc::test {
namespace {

using base::Diagnostic;
using base::Diagnostics;
using inputs::Config;

const std::string kPath = "team/.trainjobc.yaml";
constexpr std::string_view kManifest = "team/jobs/a.yaml";
constexpr uint32_t kLines = 12;
constexpr std::array<std::string_view, 3> kRules{"advice/image-tag", "input/unknown-field", "job/gpu-limit"};
constexpr std::array<std::string_view, 6> kPaths{"a.yaml",      "jobs/a.yaml", "jobs/deep/er/a.yaml",
                                                 "jobs/.a.yml", "jobs",        "x y/[z]"};

// A number at the front of the text, which is then taken off with the colon after it.
uint32_t take_number(std::string_view& text) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data() + text.size() || *end != ':') return 0;
  text.remove_prefix(static_cast<size_t>(end - text.data()) + 1);
  return number;
}

// The first line says where in the file the error is; an encoding is of all the file.
std::string wrong_with_error(const std::string& error, const std::string& text) {
  std::string_view rest = error;
  if (!rest.starts_with(kPath + ":")) return "the error does not name the file: " + error;
  if (rest.find(": error: the file is UTF-16 or UTF-32 [yaml/encoding]\n") == kPath.size()) return "";
  rest.remove_prefix(kPath.size() + 1);
  const uint32_t line = take_number(rest);
  const uint32_t column = take_number(rest);
  const base::SourceFile file(kPath, text);
  const bool is_inside = line > 0 && line <= file.line_count() && column > 0;
  return is_inside && error.ends_with('\n') ? "" : "the error is not in the file: " + error;
}

bool is_inside(const base::Location& at) {
  return at.file && at.line > 0 && at.line <= at.file->line_count() && at.column > 0;
}

// The set finds those that match one by one.
std::string wrong_with_globs(const std::vector<std::string>& globs) {
  base::GlobSet set;
  std::vector<std::string> added;
  for (const std::string& glob : globs) {
    if (set.add(glob) == added.size()) added.push_back(glob);
  }
  for (const std::string_view path : kPaths) {
    std::vector<size_t> expected;
    for (size_t i = 0; i < added.size(); ++i) {
      if (base::matches_glob(added[i], path, base::Stars::Anything)) expected.push_back(i);
    }
    if (set.matches(path) != expected) return fmt::format("the set of globs is wrong about {}", path);
  }
  return "";
}

std::string wrong_with_config(const Config& config) {
  const std::set<std::string> levels{"error", "warning", "never"};
  if (config.fail_on && !levels.contains(*config.fail_on)) return "failOn is " + *config.fail_on;
  for (const auto& [rule, severity] : config.rules) {
    if (!rules::find_rule(rule)) return "there is no rule " + rule;
  }
  std::vector<std::string> globs = config.exclude.globs();
  for (const inputs::PathSuppression& suppression : config.suppressions) {
    const auto& paths = suppression.paths;
    if (!rules::find_rule(suppression.rule)) return "there is no rule " + suppression.rule;
    if (suppression.reason.empty() || paths.empty()) return "a suppression without a reason or paths";
    if (std::ranges::any_of(paths, &std::string::empty)) return "a suppression of an empty path";
    if (!is_inside(suppression.location)) return "a suppression is nowhere";
    globs.insert(globs.end(), paths.begin(), paths.end());
  }
  if (std::ranges::any_of(config.exclude.globs(), &std::string::empty)) return "an empty path is excluded";
  return wrong_with_globs(globs);
}

// Findings on the first lines of the file.
Diagnostics findings_on(const base::SourceFile& file) {
  Diagnostics found;
  const uint32_t lines = std::min(kLines, file.line_count());
  for (uint32_t line = 1; line <= lines; ++line) {
    const std::string_view rule = kRules[line % kRules.size()];
    found.add(rules::finding(rule, "something", "", {&file, line, 1, line, 2}));
  }
  return found;
}

bool is_about_suppressions(const Diagnostic& finding) {
  return finding.rule == "advice/bad-suppression" || finding.rule == "advice/unused-suppression";
}

// A finding stays, unless the configuration or a comment with its rule takes it out. A refusal always stays.
std::string wrong_with_kept(const Diagnostic& finding, const Diagnostics& kept, const Config& config,
                            const base::SourceFile& file) {
  const auto same = [&](const Diagnostic& other) {
    return other.rule == finding.rule && other.location == finding.location;
  };
  const auto configured = config.rules.find(finding.rule);
  const bool is_off = configured != config.rules.end() && !configured->second.severity;
  const auto left = std::ranges::find_if(kept.items(), same);
  if (left != kept.items().end())
    return is_off && !base::is_refusal(finding) ? "a rule that is off has a finding" : "";
  if (base::is_refusal(finding)) return fmt::format("line {} loses its refusal", finding.location.line);
  const bool by_path = std::ranges::find(config.suppressions, finding.rule, &inputs::PathSuppression::rule) !=
                       config.suppressions.end();
  const bool by_comment = file.text().find("# trainjobc:ignore") != std::string_view::npos &&
                          file.text().find(finding.rule) != std::string_view::npos;
  return is_off || by_path || by_comment ? ""
                                         : fmt::format("line {} loses its finding", finding.location.line);
}

std::string wrong_with_suppressions(const std::string& text, const Config& config) {
  const base::SourceFile file(std::string(kManifest), text);
  const std::array<const base::SourceFile*, 1> files{&file};
  const Diagnostics found = findings_on(file);
  const Diagnostics kept = lint::apply_config(found, config, files);
  size_t about_findings = 0;
  for (const Diagnostic& finding : kept.items()) {
    if (!is_inside(finding.location)) return "a finding is nowhere: " + finding.message;
    if (!is_about_suppressions(finding)) ++about_findings;
  }
  if (about_findings > found.items().size()) return "there are more findings than before";
  for (const Diagnostic& finding : found.items()) {
    std::string wrong = wrong_with_kept(finding, kept, config, file);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace

std::string wrong_with_configuration(const std::string& text) {
  constexpr std::string_view kMark = "\n---\n";
  const size_t mark = text.find(kMark);
  const bool is_whole = mark == std::string::npos;
  const std::string settings = is_whole ? text : text.substr(0, mark + 1);
  const std::string manifest = is_whole ? text : text.substr(mark + kMark.size());
  base::MemoryFileSystem files;
  files.files[kPath] = settings;
  const inputs::ConfigResult result = inputs::load_config(files, kPath);
  std::string wrong;
  const auto* config = std::get_if<Config>(&result);
  if (config) {
    wrong = wrong_with_config(*config);
  } else {
    wrong = wrong_with_error(std::get<inputs::Message>(result).text, settings);
  }
  return wrong.empty() ? wrong_with_suppressions(manifest, config ? *config : Config{}) : wrong;
}

}  // namespace trainjobc::test
