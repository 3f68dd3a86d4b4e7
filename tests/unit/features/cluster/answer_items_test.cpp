// SPDX-License-Identifier: Apache-2.0

#include "features/cluster/answer_items.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace trainjobc::answer_items_test {
namespace {

struct Split {
  std::vector<std::string> items;
  std::string rest;
};

// Gives the text in parts of `size` bytes, and takes the items that don't contain "kept".
Split split(const std::string& text, size_t size) {
  Split result;
  cluster::AnswerItems items([&](std::string_view item) {
    if (item.find("kept") != std::string_view::npos) return false;
    result.items.emplace_back(item);
    return true;
  });
  for (size_t at = 0; at < text.size(); at += size) items.add(std::string_view(text).substr(at, size));
  result.rest = items.rest();
  return result;
}

}  // namespace

TEST_CASE("items are taken out of a list, however its text is divided") {
  const std::string text =
      R"({"kind": "List", "items": [ {"a": "]}\"{"}, {"b": [{"c": {}}], "items": [1]} ], "metadata": {"items": [{}]}})";
  for (const size_t size : {size_t{1}, size_t{7}, text.size()}) {
    CAPTURE(size);
    const Split list = split(text, size);
    CHECK(list.items == std::vector<std::string>{R"({"a": "]}\"{"})", R"({"b": [{"c": {}}], "items": [1]})"});
    CHECK(list.rest == R"({"kind": "List", "items": [   ], "metadata": {"items": [{}]}})");
  }
}

TEST_CASE("what is not taken stays in the list") {
  const auto rest = [](const std::string& items) {
    const std::string list = split("{\"items\":[" + items + "]}", 3).rest;
    return list.substr(10, list.size() - 12);
  };
  CHECK(rest(R"({"kept":1},{"a":1})") == R"({"kept":1})");
  CHECK(rest(R"({"a":1},{"kept":1})") == R"({"kept":1})");
  CHECK(rest(R"({"kept":1},{"a":1},{"kept":2})") == R"({"kept":1},{"kept":2})");
  CHECK(rest(R"(null,{"a":1},[{}],"{}")") == R"(null,[{}],"{}")");
}

TEST_CASE("other texts stay as they are") {
  for (const std::string text :
       {"", "items:\n- {a: 1}\n", R"([{"items": [{}]}])", R"({"a": {"items": [{}]}})",
        R"({"items": {"a": {}}})", "error: \"{[\n", "}]"}) {
    CAPTURE(text);
    const Split other = split(text, 1);
    CHECK(other.items.empty());
    CHECK(other.rest == text);
  }
}

}  // namespace trainjobc::answer_items_test
