// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include "base/text/utf16.h"
#include "features/lsp/parsed_text.h"
#include "features/lsp/protocol/protocol.h"
#include "features/lsp/text_change.h"

namespace trainjobc::text_test {
using lsp::Position;
using lsp::Range;

namespace {

std::string changed(std::string text, Range range, const std::string& by) {
  lsp::apply_change(text, {range, by});
  return text;
}

}  // namespace

TEST_CASE("UTF-16: a character of four bytes is two units") {
  CHECK(base::utf16_length("aé€𝄞") == 5);
  CHECK(base::utf16_offset("aé€𝄞b", 0) == 0);
  CHECK(base::utf16_offset("aé€𝄞b", 2) == 3);
  CHECK(base::utf16_offset("aé€𝄞b", 3) == 6);
  CHECK(base::utf16_offset("aé€𝄞b", 4) == 6);  // in the middle of the pair
  CHECK(base::utf16_offset("aé€𝄞b", 5) == 10);
  CHECK(base::utf16_offset("aé€𝄞b", 9) == 11);
}

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
  std::string whole = "a";
  lsp::apply_change(whole, {std::nullopt, "b"});
  CHECK(whole == "b");
}

TEST_CASE("positions of a source file") {
  const base::SourceFile file("/a.yaml", "a: 𝄞x\nb: 2\n");
  CHECK(lsp::position_of(file, size_t{8}) == Position{0, 6});
  CHECK(lsp::position_of(file, size_t{9}) == Position{1, 0});
  CHECK(lsp::position_of(file, size_t{14}) == Position{2, 0});
  CHECK(lsp::position_of(file, 1, 8) == Position{0, 5});
  CHECK(lsp::offset_of(file, {0, 5}) == 7);
  CHECK(lsp::offset_of(file, {1, 99}) == 13);
  CHECK(lsp::offset_of(file, {2, 0}) == 14);
  CHECK(lsp::offset_of(file, {9, 9}) == 14);
}

TEST_CASE("URIs of files") {
  CHECK(lsp::uri_of("/re po/ä.yaml") == "file:///re%20po/%C3%A4.yaml");
  CHECK(lsp::path_of("file:///re%20po/%C3%a4.yaml") == "/re po/ä.yaml");
  CHECK(lsp::path_of("file://localhost/a/../b.yaml") == "/b.yaml");
  for (const char* other : {"untitled:Untitled-1", "file://other/a", "file:", "file:///a%2", "file:///a%zz",
                            "file:///a%00", "trainjobc-jobset:/a/b.yaml", ""})
    CHECK_MESSAGE(lsp::path_of(other) == std::nullopt, other);
}

TEST_CASE("line map: what is before and after the place that differs") {
  const base::SourceFile from("", "a\nb\nc\nd\n");
  const base::SourceFile to("", "a\nB\nBB\nd\n");
  const lsp::LineMap lines(from, to);
  CHECK(lines(1) == 1);
  CHECK(lines(2) == 0);
  CHECK(lines(3) == 0);
  CHECK(lines(4) == 4);
  CHECK(lines(5) == 0);
  CHECK(lsp::LineMap(to, to)(3) == 3);
}

TEST_CASE("what can't be read is replaced by what it was") {
  const auto good = lsp::parse_text("/a.yaml", "a: 1\n---\nb: 2\n---\nc: 3\n");
  const auto broken = lsp::parse_text("/a.yaml", "a: 1\nd: 4\n---\nb: [2\n---\nc: 4\n");
  CHECK(good->is_readable);
  CHECK(!broken->is_readable);
  CHECK(broken->documents().size() == 2);
  CHECK(lsp::with_readable_documents(*broken, *good) == "a: 1\nd: 4\n---\nb: 2\n---\nc: 4\n");
  std::vector<yaml::FoundDocument> readable;
  for (const lsp::ParsedText::Part& part : broken->parts) {
    if (part.is_readable) readable.push_back(part.document);
  }
  CHECK(lsp::without_documents(broken->file->text(), readable) == "\n\n---\nb: [2\n---\n\n");
  const auto shorter = lsp::parse_text("/a.yaml", "a: [\n---\nc: 4\n");
  CHECK(lsp::with_readable_documents(*shorter, *good) == "a: 1\n---\nb: 2\n---\nc: 3\n");
}

}  // namespace trainjobc::text_test
