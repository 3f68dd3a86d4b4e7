// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include <array>
#include <string>

#include "k8s/violations.h"
#include "support/schema.h"

namespace trainjobc::k8s::value_text_test {

TEST_CASE("words: quoted text stays on one line and short") {
  CHECK(k8s::quoted("") == "\"\"");
  CHECK(k8s::quoted("a b") == "\"a b\"");
  CHECK(k8s::quoted("a\nb\x1b[31m\x7f") == "\"a\\nb\\x1b[31m\\x7f\"");
  CHECK(k8s::quoted(std::string(60, 'a')) == "\"" + std::string(60, 'a') + "\"");
  CHECK(k8s::quoted(std::string(61, 'a')) == "\"" + std::string(57, 'a') + "…\"");
  // No character is cut in two.
  CHECK(k8s::quoted(std::string(56, 'a') + "éééé") == "\"" + std::string(56, 'a') + "…\"");
  constexpr std::array<std::string_view, 3> kWords = {"a", "b", "c"};
  CHECK(quoted_list(kWords) == R"("a", "b", "c")");
}

TEST_CASE("words: values") {
  const test::Parsed document("[a, 'yes', 7, 1.5, on, null, [1], {a: b}, 0x1f]");
  std::string shown_text;
  std::string kinds;
  std::string sources;
  for (const yaml::Node* item : document->items()) {
    shown_text += shown(*item) + " ";
    kinds += std::string(kind_words(*item)) + ", ";
    if (item->is_scalar()) sources += source_text(*item) + " ";
  }
  CHECK(shown_text == "\"a\" \"yes\" 7 1.5 true null a list a map 31 ");
  CHECK(kinds == "a string, a string, an integer, a number, a boolean, null, a list, a map, an integer, ");
  CHECK(sources == "a 'yes' 7 1.5 on null 0x1f ");
}

}  // namespace trainjobc::k8s::value_text_test
