// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include <string>

#include "base/text/text.h"

namespace trainjobc::base::ascii_test {

TEST_CASE("ascii: trimmed removes the space of a set at both ends only") {
  CHECK(trimmed("") == "");
  CHECK(trimmed(" \t\r\n") == "");
  CHECK(trimmed("\r\n a b\t ") == "a b");
  CHECK(trimmed("\n a \n", kBlanks) == "\n a \n");
  CHECK(trimmed("\v a\f", kSpace) == "\v a\f");
  CHECK(trimmed("\v a\f", kGoSpace) == "a");
}

TEST_CASE("ascii: text is plain if each byte is printable ASCII or a line feed") {
  CHECK(is_plain_ascii(""));
  for (size_t size = 1; size < 20; ++size) {
    for (size_t at = 0; at < size; ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text(size, '\n');
        text[at] = static_cast<char>(byte);
        CHECK(is_plain_ascii(text) == (byte == '\n' || (byte >= 0x20 && byte <= 0x7E)));
      }
    }
  }
}

}  // namespace trainjobc::base::ascii_test
