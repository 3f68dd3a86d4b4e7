// SPDX-License-Identifier: Apache-2.0

#include "base/text/ascii.h"

#include <doctest/doctest.h>

namespace trainjobc::base {

TEST_CASE("ascii: trimmed removes the space of a set at both ends only") {
  CHECK(trimmed("") == "");
  CHECK(trimmed(" \t\r\n") == "");
  CHECK(trimmed("\r\n a b\t ") == "a b");
  CHECK(trimmed("\n a \n", kBlanks) == "\n a \n");
  CHECK(trimmed("\v a\f", kSpace) == "\v a\f");
  CHECK(trimmed("\v a\f", kGoSpace) == "a");
}

}  // namespace trainjobc::base
