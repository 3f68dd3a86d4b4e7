// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include "support/watches.h"
#include "features/kubectl/json_stream.h"
#include "features/kubectl/watches.h"

namespace trainjobc::kubectl_watches_test {
using trainjobc::kubectl::JsonStream;

TEST_CASE("a stream yields whole objects, wherever it is cut") {
  const std::string text =
      "{\"a\": {\"b\": \"}\"}}\n  {\n  \"c\": \"\\\"{\\\\\"\n}\n{}{\"d\": [{}, \"\\u007d\"]}\n";
  const std::vector<std::string> expected{"{\"a\": {\"b\": \"}\"}}", "{\n  \"c\": \"\\\"{\\\\\"\n}", "{}",
                                          "{\"d\": [{}, \"\\u007d\"]}"};
  for (size_t size = 1; size <= text.size(); ++size) {
    JsonStream stream;
    std::vector<std::string> objects;
    for (size_t at = 0; at < text.size(); at += size) {
      stream.add(std::string_view(text).substr(at, size));
      while (auto object = stream.next()) objects.push_back(*object);
    }
    CHECK(objects == expected);
  }
}

}  // namespace trainjobc::kubectl_watches_test
