// What reaches a terminal or a log.
#include "base/text/printable.h"

#include <doctest/doctest.h>

#include "support/test_console.h"

using namespace trainjobc;
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
  CHECK(lint.out.starts_with("\\u003a:error::\\u001b[2J.yaml:"));
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
  CHECK(render.out.find("\n  ::error::b\n") != std::string::npos);
  test::TestConsole github(files);
  CHECK(cli::run({"lint", "--no-config", "--format", "github", path}, github) == 1);
  CHECK(github.out.starts_with("::error file="));
  CHECK(github.out.find('\x1B') == std::string::npos);
}
