// SPDX-License-Identifier: Apache-2.0

// Reports for CI systems.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include "base/text/text.h"
#include "lint/report/findings.h"

namespace trainjobc::lint {
namespace {

using base::Diagnostic;
using base::Severity;
using report::Json;

// GitHub Actions: workflow commands, which become annotations of the changed files. GitHub shows ten of each
// severity per step and silently drops the rest, so the errors come first and the last line counts the rest.

constexpr size_t kShown = 10;

struct Command {
  Severity severity;
  std::string_view name;
};
constexpr std::array kCommands = std::to_array<Command>(
    {{Severity::Error, "error"}, {Severity::Warning, "warning"}, {Severity::Info, "notice"}});

// `also` lists characters to escape besides those that end a command.
std::string command_text(std::string_view text, std::string_view also) {
  std::string out;
  for (const char c : text) {
    if (c == '%' || c == '\r' || c == '\n' || also.find(c) != std::string_view::npos) {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

std::string property(std::string_view text) {
  return command_text(text, ":,");
}

std::string annotation(const Diagnostic& d, std::string_view command, const Places& places) {
  std::string out = fmt::format("::{} ", command);
  if (const auto place = places.of(d)) {
    const Region& at = place->region;
    out += fmt::format("file={},line={},endLine={},", property(place->path), at.line, at.end_line);
    // GitHub refuses columns in an annotation of several lines.
    if (at.line == at.end_line) out += fmt::format("col={},endColumn={},", at.column, at.end_column);
  }
  return out + fmt::format("title={}::{}\n", property(d.rule), command_text(full_message(d), ""));
}

}  // namespace

std::string github_report(const ReportInput& input) {
  const Places places(input);
  std::string out;
  std::string rest;
  for (const Command& command : kCommands) {
    size_t count = 0;
    for (const Diagnostic& d : input.diagnostics.items()) {
      if (d.severity == command.severity && ++count <= kShown) out += annotation(d, command.name, places);
    }
    if (count <= kShown) continue;
    rest += (rest.empty() ? "" : ", ") + base::counted(count - kShown, command.name);
  }
  if (rest.empty()) return out;
  return out +
         fmt::format("::notice title=trainjobc::{} more: GitHub shows {} annotations of each severity\n",
                     rest, kShown);
}

// GitLab: the Code Quality report that merge requests show.

std::string gitlab_report(const ReportInput& input) {
  const Places places(input);
  Fingerprints fingerprints;
  const auto issue = [&](const Diagnostic& d) -> Json {
    const Place place = places.of(d).value_or(Place{".", {}});
    return {{"description", full_message(d)},
            {"check_name", d.rule},
            {"fingerprint", fingerprints.next({place.path, d.rule, d.object, d.field, identity(d)})},
            {"severity", base::word_of(d.severity, "major", "minor", "info")},
            {"location", {{"path", place.path}, {"lines", {{"begin", place.region.line}}}}}};
  };
  return Json::array(input.diagnostics.items(), issue).report();
}

// JUnit XML: for CI systems that show tests. One suite per file, one case per object; a case has at most one
// failure, with all findings of the object.

namespace {

struct Case {
  std::string name;
  std::vector<const Diagnostic*> failures;
  std::vector<const Diagnostic*> others;
};

struct Suite {
  std::string file;
  std::vector<Case> cases;

  size_t failed() const {
    return static_cast<size_t>(
        std::ranges::count_if(cases, [](const Case& c) { return !c.failures.empty(); }));
  }
};

// Whether XML can represent the character.
bool is_xml(uint32_t code) {
  return (code >= 0x20 || code == '\t' || code == '\n' || code == '\r') && code != 0xFFFE && code != 0xFFFF;
}

// Where a text goes in XML: readers turn line breaks and tabs in attributes into spaces. Characters that XML
// can't represent, such as ESC, become U+FFFD.
enum class In { Element, Attribute };
std::string xml(std::string_view text, In place) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  std::string out;
  while (!text.empty()) {
    const base::CodePoint code = base::decode_utf8(text);
    switch (text.front()) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\r': out += "&#13;"; break;
      case '\n': out += place == In::Attribute ? "&#10;" : "\n"; break;
      case '\t': out += place == In::Attribute ? "&#9;" : "\t"; break;
      default: out += code.length > 0 && is_xml(code.value) ? text.substr(0, code.length) : kReplacement;
    }
    text.remove_prefix(std::max<size_t>(code.length, 1));
  }
  return out;
}

std::string attribute(std::string_view text) {
  return xml(text, In::Attribute);
}

class Sorter {
 public:
  explicit Sorter(const ReportInput& input) {
    for (const std::string& file : input.files) suite(file);
    for (const LintedObject& object : input.objects) {
      case_of(object.file, object.object);
      first_file_.try_emplace(object.object, object.file);
    }
    for (const Diagnostic& d : input.diagnostics.items()) {
      Case& its_case = case_of(d);
      (input.fails(d) ? its_case.failures : its_case.others).push_back(&d);
    }
  }

  const std::deque<Suite>& suites() const { return suites_; }

 private:
  Suite& suite(std::string_view file) {
    const auto [at, is_new] = suite_index_.try_emplace(std::string(file), suites_.size());
    if (is_new) suites_.push_back({at->first, {}});
    return suites_[at->second];
  }

  Case& case_of(std::string_view file, std::string_view name) {
    std::vector<Case>& cases = suite(file).cases;
    const auto [at, is_new] = case_index_.try_emplace({std::string(file), std::string(name)}, cases.size());
    if (is_new) cases.push_back({at->first.second, {}, {}});
    return cases[at->second];
  }

  // The case of a finding is that of its object, even if its cause is elsewhere: the object with that id in
  // the finding's own file, or else the first with that id. A finding without an object belongs to its file's
  // case.
  Case& case_of(const Diagnostic& d) {
    const std::string file = d.location.file ? d.location.file->name() : "trainjobc";
    if (d.object.empty()) return case_of(file, file);
    const auto elsewhere = first_file_.find(d.object);
    if (elsewhere == first_file_.end() || case_index_.contains({file, d.object}))
      return case_of(file, d.object);
    return case_of(elsewhere->second, d.object);
  }

  std::deque<Suite> suites_;
  std::map<std::string, size_t> suite_index_;
  std::map<std::pair<std::string, std::string>, size_t> case_index_;
  std::map<std::string, std::string> first_file_;  // for each object
};

std::string texts(const std::vector<const Diagnostic*>& diagnostics) {
  std::string out;
  for (const Diagnostic* d : diagnostics) out += xml(base::format_text(*d, {}), In::Element);
  return out;
}

std::string to_xml(const Case& test, std::string_view file) {
  std::string out = fmt::format("    <testcase classname=\"{0}\" name=\"{1}\" file=\"{0}\"", attribute(file),
                                attribute(test.name));
  if (test.failures.empty() && test.others.empty()) return out + "/>\n";
  out += ">\n";
  if (!test.failures.empty()) {
    const Diagnostic& first = *test.failures.front();
    const size_t more = test.failures.size() - 1;
    const std::string message = full_message(first) + (more == 0 ? "" : fmt::format(" (and {} more)", more));
    out += fmt::format("      <failure message=\"{}\" type=\"{}\">{}</failure>\n", attribute(message),
                       attribute(first.rule), texts(test.failures));
  }
  if (!test.others.empty()) out += fmt::format("      <system-out>{}</system-out>\n", texts(test.others));
  return out + "    </testcase>\n";
}

}  // namespace

std::string junit_report(const ReportInput& input) {
  const Sorter sorter(input);
  const Places places(input);
  std::string body;
  size_t tests = 0;
  size_t failures = 0;
  for (const Suite& suite : sorter.suites()) {
    const std::string file = places.path_of(suite.file);
    body += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\">\n",
                        attribute(file), suite.cases.size(), suite.failed());
    for (const Case& test : suite.cases) body += to_xml(test, file);
    body += "  </testsuite>\n";
    tests += suite.cases.size();
    failures += suite.failed();
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"trainjobc\" tests=\"{}\" failures=\"{}\" errors=\"0\" "
      "skipped=\"0\">\n{}</testsuites>\n",
      tests, failures, body);
}

}  // namespace trainjobc::lint
