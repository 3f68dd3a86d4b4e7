// SPDX-License-Identifier: Apache-2.0

#include "base/text/layout.h"

#include <doctest/doctest.h>

namespace trainjobc::layout_test {
using namespace trainjobc::base;

TEST_CASE("layout: columns") {
  CHECK(display_width("") == 0);
  CHECK(display_width("a\033[1;31mb\033[0m…") == 3);
  CHECK(display_width("日本é😀\xFF") == 8);
}

TEST_CASE("layout: lines are broken at spaces, words stay whole") {
  CHECK(wrap("one two three", 0, 2) == "one two three");
  CHECK(wrap("one two three", 13, 2) == "one two three");
  CHECK(wrap("  one two three", 9, 4) == "  one two\n    three");
  CHECK(wrap("one a-long-word-here b", 8, 2) == "one\n  a-long-word-here\n  b");
}

TEST_CASE("layout: lines are cut to their columns") {
  CHECK(cut("abcdef", 0) == "abcdef");
  CHECK(cut("abcdef", 6) == "abcdef");
  CHECK(cut("abcdef", 5) == "abcd…");
  CHECK(cut("日本語", 5) == "日本…");
}

TEST_CASE("layout: parts beside each other, or one below the other") {
  CHECK(beside_or_below({"one", "", "two"}, 0, 2) == "one   two");
  CHECK(beside_or_below({"one", "", "two"}, 9, 2) == "one   two");
  CHECK(beside_or_below({"one", "", "two"}, 8, 2) == "one\n  two");
  CHECK(beside_or_below({"one", "two three"}, 8, 2) == "one\n  two\n    three");
}

TEST_CASE("layout: a table, in as many lines per row as its columns need") {
  const std::vector<std::vector<std::string>> rows{{"A", "LONGER", "C"}, {"aé", "b", "cccc d"}};
  CHECK(table(rows, 0) == "A   LONGER  C\naé  b       cccc d\n");
  CHECK(table(rows, 18) == table(rows, 0));
  CHECK(table(rows, 17) == "A   LONGER\n    C\naé  b\n    cccc d\n");
  CHECK(table(rows, 9) == "A\n    LONGER\n    C\naé\n    b\n    cccc\n      d\n");
  CHECK(table({}, 80) == "");
}

}  // namespace trainjobc::layout_test
