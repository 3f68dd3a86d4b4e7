// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include <string>

#include "support/reading.h"
#include "yaml/node.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::yaml::token_test {
namespace {

std::string range(const base::Location& at) {
  std::string out = std::to_string(at.line) + ":" + std::to_string(at.column) + "-";
  if (at.end_line != at.line) out += std::to_string(at.end_line) + ":";
  return out + std::to_string(at.end_column);
}

std::string token(std::string_view text, uint32_t line, uint32_t column) {
  const base::SourceFile file("job.yaml", std::string(text));
  return range(token_location(file, line, column, false));
}

std::string token_in_flow(std::string_view text, uint32_t column) {
  const base::SourceFile file("job.yaml", std::string(text));
  return range(token_location(file, 1, column, true));
}

// What the file shows for each byte of the value of "a", with ~ for nothing, and | before another line.
std::string written(std::string_view text) {
  const test::Reading reading(text);
  const Node& value = *reading.root().get("a");
  const WrittenText places(value);
  std::string out;
  uint32_t line = 0;
  for (size_t i = 0; i < value.text().size(); ++i) {
    const auto at = places.place_of(i, 1);
    if (at && line != 0 && at->line != line) out += '|';
    if (at) line = at->line;
    out += at ? reading.file().line(at->line).substr(at->column - 1, at->end_column - at->column) : "~";
  }
  return out;
}

}  // namespace

TEST_CASE("each part of a string is found where the file shows it") {
  CHECK(written("a: b c # d\n") == "b c");
  CHECK(written("a: 'it''s'\n") == "it's");
  CHECK(written("a: \"x \\\"b\\\" \\\\ y\"\n") == "x \"b\" \\ y");
  CHECK(written("a: \"\\\"b\"\n") == "\"b");
  CHECK(written("a: \"b\\nc\"\n") == "b~~");
  CHECK(written("a: |\n  b\n\n   c\n  d \n") == "b~~| c~|d ~");
  CHECK(written("a: >\n  b\n  c\n\n  d\n   e\n   f\n  g\n") == "b~|c~|d~| e~| f~|g~");
  CHECK(written("a: |2\n   b\n  c\nd: e\n") == " b~|c~");
  CHECK(written("a: |-\r\n  b\r\n  c\r\n") == "b~|c");
  CHECK(written("a: |  # why\n\n\n  b\n") == "~~b~");
  CHECK(written("a: \"b\n  c\"\n") == "~~~");
  CHECK(written("b: &x c\na: *x\n") == "c");
}

TEST_CASE("a part ends with its line, and an edit needs all of it on one") {
  const test::Reading reading("a: |\n  b c\n  d\n");
  const WrittenText text(*reading.root().get("a"));
  CHECK(range(*text.place_of(2, 9)) == "2:5-6");
  CHECK(range(text.replace(2, 1, "e").at(0).range) == "2:5-6");
  CHECK(text.replace(2, 1, "e").at(0).text == "e");
  CHECK(text.replace(2, 2, "e").empty());
  CHECK(text.replace(9, 1, "e").empty());
}

TEST_CASE("a plain scalar ends before its colon or comment, without the blanks after it") {
  CHECK(token("key: a value  # why\n", 1, 1) == "1:1-4");
  CHECK(token("key: a value  # why\n", 1, 6) == "1:6-13");
  CHECK(token("key : x#y \n", 1, 1) == "1:1-4");
  CHECK(token("key : x#y \n", 1, 7) == "1:7-10");
  CHECK(token("http://x:80/y: z\n", 1, 1) == "1:1-14");
  CHECK(token("a: b, c]\n", 1, 4) == "1:4-9");
  CHECK(token("last:\n", 1, 1) == "1:1-5");
}

TEST_CASE("inside brackets it ends before a comma or bracket") {
  CHECK(token_in_flow("a: [b c, d]\n", 5) == "1:5-8");
  CHECK(token_in_flow("a: [b c, d]\n", 10) == "1:10-11");
  CHECK(token_in_flow("a: {b: c}\n", 5) == "1:5-6");
  CHECK(token_in_flow("a: {b: c}\n", 8) == "1:8-9");
  CHECK(token_in_flow("a: [\"]\", b, c]\n", 10) == "1:10-11");
  CHECK(token_in_flow("  b, c]\n", 3) == "1:3-4");
}

TEST_CASE("a quoted string includes its quotes") {
  CHECK(token("a: \"b \\\" c\" # d\n", 1, 4) == "1:4-12");
  CHECK(token("a: 'it''s' # d\n", 1, 4) == "1:4-11");
  CHECK(token("a: \"one\n  two\"\nb: 1\n", 1, 4) == "1:4-2:7");
  CHECK(token("a: 'one\r\n\r\n  two' # x\r\n", 1, 4) == "1:4-3:7");
  CHECK(token("a: \"open\nb: 1\n", 1, 4) == "1:4-9");
}

TEST_CASE("brackets, dashes, indicators and names are tokens of their own") {
  CHECK(token("a: [b]\n", 1, 4) == "1:4-5");
  CHECK(token("- b\n", 1, 1) == "1:1-2");
  CHECK(token("-\n", 1, 1) == "1:1-2");
  CHECK(token("-b c\n", 1, 1) == "1:1-5");
  CHECK(token("a: |2- # c\n    x\n", 1, 4) == "1:4-7");
  CHECK(token("a: >\n", 1, 4) == "1:4-5");
  CHECK(token("a: [*name, b]\n", 1, 5) == "1:5-10");
  CHECK(token("a: &x !!str b\n", 1, 4) == "1:4-6");
  CHECK(token("a: &x !!str b\n", 1, 7) == "1:7-12");
}

TEST_CASE("a place beyond the text is one column wide") {
  CHECK(token("a:\n", 1, 3) == "1:3-4");
  CHECK(token("a:\n", 1, 99) == "1:3-4");
  CHECK(token("a:\n", 9, 1) == "9:1-2");
  CHECK(token("a:\n", 1, 0) == "1:1-2");
}

}  // namespace trainjobc::yaml::token_test
