// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include <array>
#include <random>
#include <string>
#include <string_view>

#include "support/lsp_edits.h"

using namespace trainjobc;

TEST_CASE("server: random edits and requests") {
  std::mt19937 random(1);
  for (int run = 0; run < 20; ++run) {
    std::string bytes(60, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    REQUIRE(test::wrong_with_edits(bytes) == "");
  }
}

TEST_CASE("server: lines that come and go") {
  constexpr std::array<std::string_view, 5> kLines{"\n", "# a comment\n", "---\n", "a: 1\n",
                                                   "  suspend: true\n"};
  constexpr char kPublish = '\xC8';
  std::mt19937 random(2);
  const auto any = [&](size_t size) { return static_cast<char>(random() % size); };
  for (int run = 0; run < 100; ++run) {
    std::string bytes;
    for (int edit = 0; edit < 6; ++edit) {
      const char line = any(16);
      const bool deletes = any(4) == 0;
      const std::string_view added = deletes ? "" : kLines[static_cast<size_t>(any(kLines.size()))];
      bytes += {'\0', any(2), line, '\0', static_cast<char>(line + (deletes ? 1 : 0)), '\0'};
      bytes += static_cast<char>(added.size());
      bytes += added;
      if (any(3) == 0) bytes += kPublish;
    }
    REQUIRE(test::wrong_with_edits(bytes) == "");
  }
}
