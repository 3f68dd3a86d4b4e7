// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include <string>

#include "yaml/node.h"

namespace trainjobc::yaml::token_test {
namespace {

std::string range(const base::Location& at) {
  std::string out = std::to_string(at.line) + ":" + std::to_string(at.column) + "-";
  if (at.end_line != at.line) out += std::to_string(at.end_line) + ":";
  return out + std::to_string(at.end_column);
}

std::string token(std::string_view text, uint32_t line, uint32_t column) {
  const base::SourceFile file("job.yaml", std::string(text));
  return range(token_location(file, line, column));
}

std::string token_in_flow(std::string_view text, uint32_t column) {
  const base::SourceFile file("job.yaml", std::string(text));
  return range(token_location(file, 1, column, true));
}

}  // namespace

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
  CHECK(token("a: [b c, d]\n", 1, 5) == "1:5-8");
  CHECK(token("a: [b c, d]\n", 1, 10) == "1:10-11");
  CHECK(token("a: {b: c}\n", 1, 5) == "1:5-6");
  CHECK(token("a: {b: c}\n", 1, 8) == "1:8-9");
  CHECK(token("a: [\"]\", b, c]\n", 1, 10) == "1:10-11");
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
