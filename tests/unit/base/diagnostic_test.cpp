// SPDX-License-Identifier: Apache-2.0

#include "base/diagnostic.h"

#include <doctest/doctest.h>

#include <string>

namespace trainjobc::base::diagnostic_test {
namespace {

Diagnostic make(const SourceFile* file, uint32_t line, uint32_t column, uint32_t end_line,
                uint32_t end_column) {
  Diagnostic made;
  made.rule = "input/unknown-field";
  made.message = "unknown field \"x\"";
  made.hint = "did you mean \"y\"?";
  made.location = {file, line, column, end_line, end_column};
  return made;
}

Diagnostic of_rule(std::string rule, Severity severity = Severity::Error, Location location = {}) {
  Diagnostic made;
  made.rule = std::move(rule);
  made.severity = severity;
  made.location = location;
  return made;
}

}  // namespace

TEST_CASE("the source line, a caret under the token, the hint beside it") {
  const SourceFile file("jobs/a.yaml", "a: 1\nspec:\n  resourcePerNode: 2\n");
  CHECK(format_text(make(&file, 3, 3, 3, 18), {}) ==
        R"(jobs/a.yaml:3:3: error: unknown field "x" [input/unknown-field]
    3 |   resourcePerNode: 2
      |   ^~~~~~~~~~~~~~~ did you mean "y"?
)");
}

TEST_CASE("severity, notes, and a diagnostic without a line") {
  const SourceFile file("a.yaml", "a: 1\n");
  Diagnostic diagnostic = make(&file, 0, 0, 0, 0);
  diagnostic.severity = Severity::Warning;
  diagnostic.notes = {{"seen here", {&file, 1, 1, 1, 2}}, {"in general", {}}};
  CHECK(format_text(diagnostic, {}) == R"(a.yaml: warning: unknown field "x" [input/unknown-field]
  hint: did you mean "y"?
  note: seen here at a.yaml:1:1
  note: in general
)");
  diagnostic.location = {};
  diagnostic.severity = Severity::Info;
  diagnostic.notes.clear();
  diagnostic.hint.clear();
  CHECK(format_text(diagnostic, {}) == "info: unknown field \"x\" [input/unknown-field]\n");
}

TEST_CASE("a token of several lines is marked to the end of its first") {
  const SourceFile file("a.yaml", "a: \"one\n  two\"\n");
  Diagnostic diagnostic = make(&file, 1, 4, 2, 7);
  diagnostic.hint.clear();
  CHECK(format_text(diagnostic, {}) == R"(a.yaml:1:4: error: unknown field "x" [input/unknown-field]
    1 | a: "one
      |    ^~~~
)");
}

TEST_CASE("the caret is under its token after tabs and wide characters") {
  const SourceFile file("a.yaml", "\"\t日本é😀\": [bad]\n");
  Diagnostic diagnostic = make(&file, 1, 18, 1, 21);
  diagnostic.hint.clear();
  CHECK(format_text(diagnostic, {}) ==
        "a.yaml:1:18: error: unknown field \"x\" [input/unknown-field]\n"
        "    1 | \" 日本é😀\": [bad]\n"
        "      |             ^~~\n");
}

TEST_CASE("on a terminal, a long line is cut around its token, and words are wrapped") {
  const SourceFile file("a.yaml", std::string(300, 'a') + "[bad]" + std::string(300, 'z') + "\n");
  Diagnostic diagnostic = make(&file, 1, 302, 1, 305);
  diagnostic.hint.clear();
  CHECK(format_text(diagnostic, {.width = 60}) ==
        "a.yaml:1:302: error: unknown field \"x\" [input/unknown-field]\n    1 | …" + std::string(15, 'a') +
            "[bad]" + std::string(30, 'z') + "…\n      | " + std::string(17, ' ') + "^~~\n");
  CHECK(format_text(diagnostic, {}) ==
        "a.yaml:1:302: error: unknown field \"x\" [input/unknown-field]\n    1 | " + std::string(300, 'a') +
            "[bad]" + std::string(300, 'z') + "\n      | " + std::string(301, ' ') + "^~~\n");
}

TEST_CASE("on a terminal, a hint that doesn't fit beside the caret goes below it") {
  const SourceFile file("a.yaml", "spec:\n  trainer: {numNodes: two, image: bad}\n");
  Diagnostic diagnostic = make(&file, 2, 23, 2, 26);
  diagnostic.hint = "write a number, such as 2";
  diagnostic.notes = {{"one two three four five six seven eight", {}}};
  CHECK(format_text(diagnostic, {.width = 44}) == R"(a.yaml:2:23: error: unknown field "x"
    [input/unknown-field]
    2 | …ainer: {numNodes: two, image: bad}
      |                    ^~~
      | write a number, such as 2
  note: one two three four five six seven
    eight
)");
  CHECK(format_text(diagnostic, {.width = 56}) == R"(a.yaml:2:23: error: unknown field "x"
    [input/unknown-field]
    2 |   trainer: {numNodes: two, image: bad}
      |                       ^~~
      |                       write a number, such as 2
  note: one two three four five six seven eight
)");
}

TEST_CASE("text without spaces is cut anywhere") {
  const SourceFile file("a.yaml", std::string(2000, 'a') + "\n");
  Diagnostic diagnostic = make(&file, 1, 1000, 1, 1001);
  diagnostic.hint.clear();
  CHECK(format_text(diagnostic, {}) ==
        "a.yaml:1:1000: error: unknown field \"x\" [input/unknown-field]\n    1 | …" + std::string(998, 'a') +
            "…\n      | " + std::string(333, ' ') + "^\n");
}

// Only what is around the token is decoded, and is the same as if all were.
TEST_CASE("a token in a very long line is shown as in a long one") {
  const std::string beginning = "日本é😀\t";
  for (const size_t width : {0, 60, 200}) {
    for (const std::string& token : {std::string("[bad]"), std::string("ü"), std::string(3000, 'x')}) {
      const auto shown = [&, width = width](size_t times) {
        std::string around;
        for (size_t i = 0; i < times; ++i) around += beginning;
        const SourceFile file("a.yaml", around + token + around + "\n");
        const auto column = static_cast<uint32_t>(around.size() + 1);
        Diagnostic diagnostic = make(&file, 1, column, 1, column + static_cast<uint32_t>(token.size()));
        const std::string text = format_text(diagnostic, {.width = width});
        return text.substr(text.find('\n'));
      };
      CHECK(shown(2000) == shown(600));
    }
  }
}

TEST_CASE("no control character of an input reaches the terminal") {
  const SourceFile file("a\n.yaml", "a: \x1B[31m\xE2\x80\xAE\xFFz\n");
  Diagnostic diagnostic = make(&file, 1, 4, 1, 5);
  diagnostic.message = "bad \"\x1B]0;\n\xFF\xC2\x9B\"";
  diagnostic.hint.clear();
  CHECK(format_text(diagnostic, {}) ==
        "a\\n.yaml:1:4: error: bad \"\\u001b]0;\\n\\xff\\u009b\" [input/unknown-field]\n"
        "    1 | a: �[31m��z\n"
        "      |    ^\n");
}

TEST_CASE("colours mark the place, the severity, the caret and the notes") {
  const SourceFile file("a.yaml", "bad\n");
  Diagnostic diagnostic = make(&file, 1, 1, 1, 4);
  diagnostic.notes = {{"more", {}}};
  CHECK(format_text(diagnostic, {.colour = true}) ==
        "\033[1ma.yaml:1:1: \033[0m\033[1;31merror: \033[0munknown field \"x\" [input/unknown-field]\n"
        "    1 | bad\n"
        "      | \033[1;32m^~~\033[0m did you mean \"y\"?\n"
        "  \033[1;36mnote: \033[0mmore\n");
}

TEST_CASE("reports are sorted by place, then rule, without duplicates") {
  const SourceFile a("a.yaml", "x\ny\n");
  const SourceFile b("b.yaml", "x\n");
  Diagnostics diagnostics;
  diagnostics.add(make(&b, 1, 1, 1, 2));
  diagnostics.add(make(&a, 2, 1, 2, 2));
  diagnostics.add(make(&a, 1, 1, 1, 2));
  diagnostics.add(make(&b, 1, 1, 1, 2));
  Diagnostics more;
  more.add(of_rule("advice/a", Severity::Info, {&a, 1, 1, 1, 2}));
  diagnostics.append(std::move(more));
  diagnostics.sort();
  std::string out;
  for (const Diagnostic& d : diagnostics.items()) {
    out += d.location.file->name() + ":" + std::to_string(d.location.line) + " " + d.rule + "\n";
  }
  CHECK(out ==
        "a.yaml:1 advice/a\na.yaml:1 input/unknown-field\na.yaml:2 input/unknown-field\nb.yaml:1 "
        "input/unknown-field\n");
}

TEST_CASE("whether there is an error") {
  Diagnostics diagnostics;
  CHECK(diagnostics.empty());
  diagnostics.add(of_rule("", Severity::Warning));
  CHECK(!diagnostics.has_errors());
  diagnostics.add(of_rule(""));
  CHECK(diagnostics.has_errors());
}

TEST_CASE("names of severities and stages") {
  CHECK(to_string(Severity::Error) == "error");
  CHECK(to_string(Severity::Warning) == "warning");
  CHECK(to_string(Severity::Info) == "info");
  CHECK(to_string(Stage::Yaml) == "yaml");
  CHECK(to_string(Stage::Input) == "input");
  CHECK(to_string(Stage::JobSet) == "jobset");
  CHECK(to_string(Stage::Job) == "job");
  CHECK(to_string(Stage::Advice) == "advice");
}

TEST_CASE("retain() drops some, may change the others, and keeps their order") {
  Diagnostics diagnostics;
  for (const char* rule : {"a/1", "b/2", "a/3", "b/4"}) diagnostics.add(of_rule(rule));
  std::string seen;
  diagnostics.retain([&](Diagnostic& diagnostic) {
    seen += diagnostic.rule + " ";
    diagnostic.hint = "of " + diagnostic.rule;
    return diagnostic.rule.front() == 'b';
  });
  CHECK(seen == "a/1 b/2 a/3 b/4 ");
  std::string kept;
  for (const Diagnostic& diagnostic : diagnostics.items())
    kept += diagnostic.rule + " " + diagnostic.hint + ";";
  CHECK(kept == "b/2 of b/2;b/4 of b/4;");
}

}  // namespace trainjobc::base::diagnostic_test
