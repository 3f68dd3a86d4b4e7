// SPDX-License-Identifier: Apache-2.0

// What reaches a terminal or a log.
#include "base/text/printable.h"

#include <doctest/doctest.h>

#include "support/test_console.h"

namespace trainjobc::printable_test {
using base::printable;

TEST_CASE("printable: controls of every kind are escaped, lines and tabs stay") {
  CHECK(printable("a\tb\nc\r\n", {}) == "a\tb\nc\r\n");
  CHECK(printable("\x1B[31mred\x1B]0;title\x07\r", {}) == "\\u001b[31mred\\u001b]0;title\\u0007\\u000d");
  CHECK(printable("\xC2\x9B\x7F\xFF", {}) == "\\u009b\\u007f\\xff");
  CHECK(printable("\xE2\x80\xAE\xE2\x81\xA6\xD8\x9C\xEF\xBB\xBF", {}) == "\\u202e\\u2066\\u061c\\ufeff");
  CHECK(printable("日本é😀 …", {}) == "日本é😀 …");
}

TEST_CASE("printable: our colours, but no other terminal sequences") {
  CHECK(printable("\x1B[1;31mred\x1B[0m\x1B[2K\x1B[", {.colours = true}) ==
        "\x1B[1;31mred\x1B[0m\\u001b[2K\\u001b[");
}

TEST_CASE("printable: no line begins a workflow command by accident") {
  CHECK(printable("::error::a\n  ::warning::b\n\xC2\xA0::c\na ::d\n::", {}) ==
        "\\u003a:error::a\n  \\u003a:warning::b\n\xC2\xA0\\u003a:c\na ::d\n\\u003a:");
  CHECK(printable("\x1B[1m::error::a", {.colours = true}) == "\x1B[1m\\u003a:error::a");
  CHECK(printable("x ##[error]y", {}) == "x \\u0023#[error]y");
  CHECK(printable("::error::\x1B[0m", {.commands = true}) == "::error::\\u001b[0m");
}

TEST_CASE("console: paths, values and names are escaped, manifests aren't") {
  base::MemoryFileSystem files;
  const std::string path = "::error::\x1B[2J.yaml";
  files.files[path] = "a: [\n";
  test::TestConsole lint(files);
  CHECK(cli::run({"lint", "--no-config", path}, lint) == 1);
  CHECK(
      lint.out ==
      R"(\u003a:error::\u001b[2J.yaml:1:4: error: this bracket is not closed before the end of the document [yaml/syntax]
    1 | a: [
      |    ^ close it

1 finding (1 error) in 1 of 1 file
)");
  test::TestConsole missing(files);
  CHECK(cli::run({"lint", "--no-config", "::x\x1B"}, missing) == 2);
  CHECK(missing.err.find('\x1B') == std::string::npos);

  files.files["in.yaml"] =
      "apiVersion: v1\nkind: \"\\e[31mX\"\nmetadata: {name: \"::error::n\"}\ntext: |\n  a\n  ::error::b\n";
  test::TestConsole names(files);
  CHECK(cli::run({"render", "--no-config", "--passthrough", "-o", "name", "in.yaml"}, names) == 0);
  CHECK(names.out.find('\x1B') == std::string::npos);
  test::TestConsole render(files);
  CHECK(cli::run({"render", "--no-config", "--passthrough", "in.yaml"}, render) == 0);
  CHECK(render.out == R"(apiVersion: v1
kind: "\x1b[31mX"
metadata:
  name: "::error::n"
text: |
  a
  ::error::b
)");
  test::TestConsole github(files);
  CHECK(cli::run({"lint", "--no-config", "--format", "github", path}, github) == 1);
  CHECK(
      github.out ==
      R"(::error file=%3A%3Aerror%3A%3A\u001b[2J.yaml,line=1,endLine=1,col=4,endColumn=5,title=yaml/syntax::this bracket is not closed before the end of the document; close it
)");
  CHECK(github.out.find('\x1B') == std::string::npos);
}

}  // namespace trainjobc::printable_test
