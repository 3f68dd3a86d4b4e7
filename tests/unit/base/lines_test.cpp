// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/text/text.h"

namespace trainjobc::base::lines_test {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view line : Lines(text)) lines.emplace_back(line);
  return lines;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("lines: without their breaks; one at the end begins no further line") {
  CHECK(lines_of("").empty());
  CHECK(lines_of("\n") == Texts{""});
  CHECK(lines_of("a") == Texts{"a"});
  CHECK(lines_of("a\n") == Texts{"a"});
  CHECK(lines_of("a\n\n") == Texts{"a", ""});
  CHECK(lines_of("\na\n\nb c\r\nd") == Texts{"", "a", "", "b c\r", "d"});
}

TEST_CASE("split: all parts, the empty ones, too") {
  using Parts = std::vector<std::string_view>;
  CHECK(split("", ",") == Parts{""});
  CHECK(split("a", ",") == Parts{"a"});
  CHECK(split("a,", ",") == Parts{"a", ""});
  CHECK(split(",", ",") == Parts{"", ""});
  CHECK(split("a, b\tc", ", \t") == Parts{"a", "", "b", "c"});
  CHECK(non_empty_parts(", a,, b,", ", ") == Parts{"a", "b"});
  CHECK(non_empty_parts("", ",").empty());
}

}  // namespace trainjobc::base::lines_test
