// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include <random>

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
