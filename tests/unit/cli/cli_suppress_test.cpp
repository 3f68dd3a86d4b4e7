// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "lint/lint.h"

namespace trainjobc::cli_suppress_test {
namespace {

base::Diagnostic finding(const base::SourceFile& file, uint32_t line, std::string rule) {
  base::Diagnostic diagnostic;
  diagnostic.rule = std::move(rule);
  if (!diagnostic.rule.starts_with("input/")) diagnostic.stage = base::Stage::Advice;
  diagnostic.message = "something";
  diagnostic.location = {&file, line, 1, line, 2};
  return diagnostic;
}

std::string report(const base::Diagnostics& diagnostics) {
  std::string out;
  for (const auto& d : diagnostics.items()) out += base::format_text(d, {});
  return out;
}

std::string suppress(const std::string& text, std::vector<std::pair<uint32_t, std::string>> findings,
                     const inputs::Config& config = {}) {
  const base::SourceFile file("a.yaml", text);
  base::Diagnostics diagnostics;
  for (auto& [line, rule] : findings) diagnostics.add(finding(file, line, rule));
  const base::SourceFile* files[] = {&file};
  return report(lint::apply_config(diagnostics, config, files));
}

}  // namespace

TEST_CASE("a comment on the line suppresses its rule") {
  CHECK(suppress("a: 1 # trainjobc:ignore advice/x -- known\n", {{1, "advice/x"}}).empty());
}

TEST_CASE("a comment above suppresses the next line") {
  CHECK(suppress("# trainjobc:ignore advice/x, advice/y -- known\n\n# more\na: 1\n",
                 {{4, "advice/x"}, {4, "advice/y"}})
            .empty());
}

TEST_CASE("another rule or line is not suppressed, and the comment is unused") {
  CHECK(suppress("a: 1 # trainjobc:ignore advice/x -- known\n", {{1, "advice/y"}}) ==
        "a.yaml:1:1: error: something [advice/y]\n"
        "    1 | a: 1 # trainjobc:ignore advice/x -- known\n"
        "      | ^\n"
        "a.yaml:1:6: warning: this suppresses no finding of advice/x [advice/unused-suppression]\n"
        "    1 | a: 1 # trainjobc:ignore advice/x -- known\n"
        "      |      ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ remove it\n");
}

TEST_CASE("a suppression without a reason is a warning and has no effect") {
  CHECK(suppress("a: 1 # trainjobc:ignore advice/x\n", {{1, "advice/x"}}) ==
        "a.yaml:1:1: error: something [advice/x]\n"
        "    1 | a: 1 # trainjobc:ignore advice/x\n"
        "      | ^\n"
        "a.yaml:1:6: warning: a suppression needs a rule and a reason [advice/bad-suppression]\n"
        "    1 | a: 1 # trainjobc:ignore advice/x\n"
        "      |      ^~~~~~~~~~~~~~~~~~~~~~~~~~~ # trainjobc:ignore RULE -- reason\n");
}

TEST_CASE("severities and rules that are off") {
  inputs::Config config;
  config.rules["advice/x"] = {std::nullopt, {}};
  config.rules["advice/y"] = {base::Severity::Info, {}};
  CHECK(suppress("a: 1\n", {{1, "advice/x"}, {1, "advice/y"}}, config) ==
        "a.yaml:1:1: info: something [advice/y]\n"
        "    1 | a: 1\n"
        "      | ^\n");
}

TEST_CASE("suppressions by path") {
  inputs::Config config;
  config.suppressions.push_back({"advice/x", {"*.yaml"}, "scratch", {}});
  CHECK(suppress("a: 1\n", {{1, "advice/x"}}, config).empty());
  CHECK(suppress("a: 1\n", {}, config) ==
        "warning: this suppresses no finding of advice/x [advice/unused-suppression]\n"
        "  hint: remove it\n");
  // A hook gets the staged files: nothing is known of those that weren't.
  config.suppressions[0].paths = {"other/**"};
  CHECK(suppress("a: 1\n", {}, config).empty());
}

TEST_CASE("suppressions by label") {
  const std::string objects =
      "metadata: {labels: {team: blue, stage: trial}}\na: 1\n---\nmetadata: {labels: {team: blue}}\na: 1\n";
  inputs::Config config;
  config.suppressions.push_back({"advice/x", {"**"}, "trials", {}, {{"stage", "trial"}}});
  const auto suppressed = [&](const std::string& text, uint32_t line) {
    return suppress(text, {{line, "advice/x"}}, config).empty();
  };
  CHECK(suppressed(objects, 2));
  CHECK(!suppressed(objects, 5));
  CHECK(!suppressed("a: 1\n", 1));
  const std::string list =
      "kind: List\nitems:\n- metadata: {labels: {team: blue}}\n  a: 1\n- metadata: {labels: {stage: "
      "trial}}\n  a: 1\n";
  CHECK(!suppressed(list, 4));
  CHECK(suppressed(list, 6));
  // Another for the same rule and files, without labels.
  config.suppressions.push_back({"advice/x", {"**"}, "all", {}, {}});
  CHECK(suppressed(objects, 5));
  config.suppressions.pop_back();
  config.suppressions[0].labels["team"] = "red";
  CHECK(!suppressed(objects, 2));
  CHECK(suppress(objects, {}, config).empty());  // objects with the labels may be elsewhere
}

TEST_CASE("what the cluster refuses stays, and what would hide it gets a warning") {
  CHECK(suppress("a: 1 # trainjobc:ignore input/x, advice/x -- known\n", {{1, "input/x"}, {1, "advice/x"}}) ==
        R"(a.yaml:1:1: error: something [input/x]
    1 | a: 1 # trainjobc:ignore input/x, advice/x -- known
      | ^
a.yaml:1:6: warning: input/x can't be suppressed: the cluster would refuse the object, and render does [advice/bad-suppression]
    1 | a: 1 # trainjobc:ignore input/x, advice/x -- known
      |      ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ correct the error, and remove this
  note: the error at a.yaml:1:1
)");
  CHECK(
      suppress("# trainjobc:ignore input/x -- known\na: 1\n", {{2, "input/x"}}) ==
      R"(a.yaml:1:1: warning: input/x can't be suppressed: the cluster would refuse the object, and render does [advice/bad-suppression]
    1 | # trainjobc:ignore input/x -- known
      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ correct the error, and remove this
  note: the error at a.yaml:2:1
a.yaml:2:1: error: something [input/x]
    2 | a: 1
      | ^
)");
  const base::SourceFile settings(".trainjobc.yaml", "rules: {input/x: off, input/y: error}\n");
  inputs::Config config;
  config.rules["input/x"] = {std::nullopt, {&settings, 1, 9, 1, 16}};
  config.rules["input/y"] = {base::Severity::Error, {&settings, 1, 23, 1, 30}};
  config.suppressions.push_back({"input/y", {"*.yaml"}, "known", {}});
  CHECK(
      suppress("a: 1\nb: 2\n", {{1, "input/x"}, {1, "input/y"}, {2, "input/x"}}, config) ==
      R"(warning: input/y can't be suppressed: the cluster would refuse the object, and render does [advice/bad-suppression]
  hint: correct the error, and remove this
  note: the error at a.yaml:1:1
.trainjobc.yaml:1:9: warning: input/x stays an error: the cluster would refuse the object, and render does [advice/bad-suppression]
    1 | rules: {input/x: off, input/y: error}
      |         ^~~~~~~ correct the error, and remove this
  note: the error at a.yaml:1:1
a.yaml:1:1: error: something [input/x]
    1 | a: 1
      | ^
a.yaml:1:1: error: something [input/y]
    1 | a: 1
      | ^
a.yaml:2:1: error: something [input/x]
    2 | b: 2
      | ^
)");
}

TEST_CASE("a refusal that is a warning in its context can be suppressed") {
  const base::SourceFile file("a.yaml", "a: 1 # trainjobc:ignore input/x -- known\n");
  base::Diagnostics diagnostics;
  base::Diagnostic warning = finding(file, 1, "input/x");
  warning.severity = base::Severity::Warning;
  diagnostics.add(warning);
  const base::SourceFile* files[] = {&file};
  CHECK(report(lint::apply_config(diagnostics, {}, files)) == "");
}

TEST_CASE("unused suppressions aren't reported without advice") {
  const base::SourceFile file("a.yaml", "a: 1 # trainjobc:ignore advice/x -- known\n");
  const std::vector<const base::SourceFile*> files{&file};
  inputs::Config config;
  config.suppressions.push_back({"advice/x", {"*.yaml"}, "scratch", {}});
  CHECK(lint::apply_config({}, config, files, false).empty());
  CHECK(lint::apply_config({}, config, files).items().size() == 2);
}

TEST_CASE("unused suppressions aren't reported in documents that weren't checked completely") {
  const base::SourceFile file("a.yaml",
                              "a: 1 # trainjobc:ignore advice/x -- known\n---\n"
                              "b: 1 # trainjobc:ignore advice/y -- known\n");
  const std::vector<const base::SourceFile*> files{&file};
  inputs::Config config;
  config.suppressions.push_back({"advice/x", {"*.yaml"}, "scratch", {}});
  std::vector<CheckedDocument> documents{{&file, 1, true}, {&file, 3, false}};
  CHECK(report(lint::apply_config({}, config, files, true, documents)) ==
        "a.yaml:1:6: warning: this suppresses no finding of advice/x [advice/unused-suppression]\n"
        "    1 | a: 1 # trainjobc:ignore advice/x -- known\n"
        "      |      ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ remove it\n");
  documents.push_back({&file, 0, false});
  documents.front().complete = false;
  CHECK(report(lint::apply_config({}, config, files, true, documents)).empty());
}

TEST_CASE("paths of suppressions are relative to the configuration, wherever lint runs") {
  inputs::Config config;
  config.folder = "..";
  config.suppressions.push_back(
      {"advice/x", {std::filesystem::current_path().filename().string() + "/*.yaml"}, "scratch", {}});
  CHECK(suppress("a: 1\n", {{1, "advice/x"}}, config).empty());
}

TEST_CASE("fixes change nothing but their range") {
  const base::SourceFile file("a.yaml", "\xEF\xBB\xBF# c\r\na:  1   # keep\nb: 2");
  base::Diagnostics diagnostics;
  base::Diagnostic rename = finding(file, 2, "x/y");
  rename.fix.push_back({{&file, 2, 1, 2, 2}, "alpha"});
  base::Diagnostic insert = finding(file, 3, "x/y");
  insert.fix.push_back({{&file, 3, 5, 3, 5}, "\nc: 3"});
  base::Diagnostic late = finding(file, 3, "x/z");
  late.fix.push_back({{&file, 2, 1, 2, 2}, "omega"});
  diagnostics.add(rename);
  diagnostics.add(insert);
  diagnostics.add(late);
  const lint::FixedFiles fixed = lint::apply_fixes(diagnostics, base::Certainty::Safe);
  CHECK(fixed.applied == 2);
  CHECK(fixed.texts.at("a.yaml") == "\xEF\xBB\xBF# c\r\nalpha:  1   # keep\nb: 2\nc: 3");
}

// Each finding would be compared with each comment and each suppression.
TEST_CASE("tens of thousands of suppressions and findings") {
  constexpr uint32_t kCount = 30'000;
  std::string text;
  std::vector<std::pair<uint32_t, std::string>> findings;
  inputs::Config config;
  for (uint32_t i = 0; i < kCount; ++i) {
    text += "# trainjobc:ignore a/comment -- known\n# trainjobc:ignore a/unused -- " + std::to_string(i) +
            "\nx:\n";
    findings.emplace_back(3 * i + 3, "a/comment");
    findings.emplace_back(3 * i + 3, "a/path");
    config.suppressions.push_back({"a/path", {"jobs/" + std::to_string(i) + ".yaml"}, "known", {}});
  }
  config.suppressions.push_back({"a/path", {"jobs/*.yaml", "*.yaml"}, "known", {}});
  const std::string left = suppress(text, std::move(findings), config);
  CHECK(std::ranges::count(left, '\n') == 3 * kCount);
  CHECK(left.starts_with(
      "a.yaml:2:1: warning: this suppresses no finding of a/unused [advice/unused-suppression]\n"));
}

}  // namespace trainjobc::cli_suppress_test
