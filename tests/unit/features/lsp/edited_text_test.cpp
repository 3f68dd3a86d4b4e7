// SPDX-License-Identifier: Apache-2.0

#include "features/lsp/edited_text.h"

#include <doctest/doctest.h>

#include <random>

#include "base/text/text.h"

namespace trainjobc::edited_text_test {
using lsp::EditedText;
using lsp::Position;
using lsp::Range;

namespace {

std::string changed(const std::string& text, Range range, const std::string& by) {
  EditedText edited(text);
  edited.apply({range, by});
  return edited.text();
}

// The place of a position, looked for from the beginning of the text.
size_t offset_in(std::string_view text, Position position) {
  size_t begin = 0;
  for (uint32_t line = 0; line < position.line; ++line) {
    const size_t end = text.find_first_of("\r\n", begin);
    if (end == std::string_view::npos) return text.size();
    begin = end + (text.substr(end).starts_with("\r\n") ? 2 : 1);
  }
  const std::string_view rest = text.substr(begin);
  return begin + base::utf16_offset(rest.substr(0, rest.find_first_of("\r\n")), position.character);
}

}  // namespace

TEST_CASE("text change: ranges count lines and UTF-16 units") {
  CHECK(changed("a: 𝄞x\nb: 2\n", {{0, 5}, {0, 6}}, "y") == "a: 𝄞y\nb: 2\n");
  CHECK(changed("a: 1\nb: 2\n", {{0, 4}, {1, 0}}, "") == "a: 1b: 2\n");
  CHECK(changed("a: 1\nb: 2\n", {{2, 0}, {2, 0}}, "c: 3\n") == "a: 1\nb: 2\nc: 3\n");
  CHECK(changed("", {{0, 0}, {0, 0}}, "a") == "a");
}

TEST_CASE("text change: a line ends with \\n, \\r\\n or \\r") {
  CHECK(changed("a\r\nb\rc\nd", {{1, 0}, {1, 1}}, "B") == "a\r\nB\rc\nd");
  CHECK(changed("a\r\nb\rc\nd", {{2, 0}, {3, 1}}, "x") == "a\r\nb\rx");
  CHECK(changed("a\r\nb", {{0, 9}, {0, 9}}, "!") == "a!\r\nb");
}

TEST_CASE("text change: places outside of the text are its nearest ones") {
  CHECK(changed("ab", {{7, 7}, {9, 9}}, "c") == "abc");
  CHECK(changed("ab\ncd", {{1, 1}, {0, 1}}, "-") == "ab\nc-d");
  lsp::EditedText whole("a");
  whole.apply({std::nullopt, "b"});
  CHECK(whole.text() == "b");
}

TEST_CASE("text change: thousands of edits of a text of many parts") {
  std::mt19937 random(7);
  const std::vector<std::string> pieces = {"a",
                                           "\n",
                                           "\r",
                                           "\r\n",
                                           "\n\r",
                                           "é",
                                           "𝄞",
                                           "\xED",
                                           "key: value\n",
                                           std::string(3000, 'x'),
                                           std::string(9000, 'y') + "\r",
                                           ""};
  const auto piece = [&] { return pieces[random() % pieces.size()]; };
  std::string wanted;
  for (int i = 0; i < 300; ++i) wanted += piece();
  EditedText edited(wanted);
  for (int i = 0; i < 2000; ++i) {
    const auto line = static_cast<uint32_t>(random() % 200);
    const Position start{line, static_cast<uint32_t>(random() % 20)};
    const Position end{line + static_cast<uint32_t>(random() % 3), static_cast<uint32_t>(random() % 4000)};
    const std::string by = piece();
    const size_t from = offset_in(wanted, start);
    wanted.replace(from, std::max(from, offset_in(wanted, std::max(start, end))) - from, by);
    edited.apply({Range{start, end}, by});
    REQUIRE(edited.text() == wanted);
  }
}

}  // namespace trainjobc::edited_text_test
