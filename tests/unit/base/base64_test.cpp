// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/text/text.h"

namespace trainjobc::base64_test {
using trainjobc::base::base64_decode;
using trainjobc::base::base64_encode;

TEST_CASE("base64: the vectors of RFC 4648, both ways") {
  for (const auto& [bytes, text] : {std::pair<std::string_view, std::string_view>{"", ""},
                                    {"f", "Zg=="},
                                    {"fo", "Zm8="},
                                    {"foo", "Zm9v"},
                                    {"foob", "Zm9vYg=="},
                                    {"fooba", "Zm9vYmE="},
                                    {"foobar", "Zm9vYmFy"}}) {
    CHECK(base64_encode(bytes) == text);
    CHECK(base64_decode(text) == bytes);
  }
}

TEST_CASE("base64: every byte value and every length round-trips") {
  std::string bytes;
  for (int value = 0; value < 256; ++value) {
    bytes.push_back(static_cast<char>(value));
    const std::string text = base64_encode(bytes);
    CHECK(text.size() == (bytes.size() + 2) / 3 * 4);
    CHECK(base64_decode(text) == bytes);
  }
  CHECK(base64_encode("\xfb\xff\xbf") == "+/+/");
}

TEST_CASE("base64: only the canonical spelling is decoded") {
  for (const std::string_view text :
       {"Zg",    "Zg=",      "Z===",    "====",   "=",         "==",     "Z",
        "Zm9vY", "Zg==Zg==", "Zg=a",    "Zm9v\n", "Zm9v Zm9v", " Zm9v",  "Zm\n9v",
        "Zm9-",  "Zm9_",     "Zm9\xe9", "Zh==",   "Zm9=",      "Zm8=\n", "*m9v"}) {
    INFO("text: ", std::string(text));
    CHECK_FALSE(base64_decode(text).has_value());
  }
  CHECK_FALSE(base64_decode(std::string_view("Zm9\0", 4)).has_value());
}

}  // namespace trainjobc::base64_test
