// SPDX-License-Identifier: Apache-2.0

#include "base/source.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/text.h"

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

// Columns of each byte and of each code unit, as counted from the beginning of the line.
void check_columns(const std::string& text, uint32_t number) {
  const SourceFile file("a.yaml", text);
  const std::string_view line = file.line(number);
  size_t wrong = 0;
  for (size_t at = 0; at < line.size() + 3; ++at)
    wrong += file.utf16_units(number, at) != utf16_length(line.substr(0, std::min(at, line.size()))) ? 1 : 0;
  for (size_t units = 0; units < line.size() + 3; ++units)
    wrong += file.utf16_offset(number, units) != utf16_offset(line, units) ? 1 : 0;
  CHECK(wrong == 0);
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

TEST_CASE("source files: long lines among short ones") {
  std::string text;
  for (const size_t length : {1, 1023, 0, 1024, 1025, 3, 5000, 0, 0, 2048, 1}) {
    text += std::string(length, 'x') + "\n";
    check(text);
    check(text + "last");
  }
}

TEST_CASE("source files: UTF-16 code units, in short and in long lines") {
  std::string line;
  for (int i = 0; i < 300; ++i) line += i % 3 == 0 ? "é" : i % 3 == 1 ? "a" : "😀";
  check_columns("first\n" + line + "\nlast\n", 2);
  for (int i = 0; i < 4; ++i) {
    line += std::string(static_cast<size_t>(i), 'x') + line.substr(0, 900);
    check_columns("first\n" + line + "\r\nlast\n", 2);
    check_columns("\xFF\xBF" + line + "\xF0\x9F", 1);
  }
  CHECK(SourceFile("a.yaml", "a\n").utf16_units(7, 3) == 0);
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
