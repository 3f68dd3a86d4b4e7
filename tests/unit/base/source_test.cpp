// SPDX-License-Identifier: Apache-2.0

#include "base/source.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace trainjobc::base::source_test {
namespace {

// The lines of a text, and where each begins.
struct Lines {
  std::vector<std::string> texts;
  std::vector<size_t> starts;

  explicit Lines(const std::string& text) {
    for (size_t at = 0; at < text.size() || at == 0;) {
      const size_t end = std::min(text.find('\n', at), text.size());
      std::string line = text.substr(at, end - at);
      if (line.ends_with('\r')) line.pop_back();
      texts.push_back(line);
      starts.push_back(at);
      at = end + 1;
    }
  }
};

void check(const std::string& text) {
  const SourceFile file("a.yaml", text);
  const Lines lines(text);
  REQUIRE(file.line_count() == lines.texts.size());
  for (uint32_t number = 1; number <= file.line_count(); ++number) {
    CHECK(file.line(number) == lines.texts[number - 1]);
    CHECK(file.line_start(number) == lines.starts[number - 1]);
  }
  uint32_t line = 1;
  for (size_t offset = 0; offset < text.size() + 3; ++offset) {
    if (line < lines.starts.size() && offset == lines.starts[line]) ++line;
    CHECK(file.line_at(offset) == line);
  }
  for (const uint32_t number : {0U, file.line_count() + 1, file.line_count() + 100}) {
    CHECK(file.line(number).empty());
    CHECK(file.line_start(number) == text.size());
  }
}

}  // namespace

TEST_CASE("source files: lines of files that are short, long, empty, and without a last line break") {
  check("");
  check("\n");
  check("a");
  check("a\n");
  check("\n\n");
  check("a\r\nb\r\n\r\nc");
  std::string text;
  for (int i = 0; i < 100; ++i) {
    text += std::string(static_cast<size_t>(i % 5), 'x') + (i % 7 == 0 ? "\r\n" : "\n");
    check(text);
    check(text + "last");
  }
}

TEST_CASE("source files: a byte order mark is left out") {
  const SourceFile file("a.yaml",
                        "\xEF\xBB\xBF"
                        "a: 1\nb: 2\n");
  CHECK(file.had_byte_order_mark());
  CHECK(file.text() == "a: 1\nb: 2\n");
  CHECK(file.line(1) == "a: 1");
  CHECK(file.line_start(2) == 5);
}

}  // namespace trainjobc::base::source_test
