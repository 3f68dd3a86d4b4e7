// SPDX-License-Identifier: Apache-2.0

#include "base/text/digest.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace trainjobc::base {

TEST_CASE("texts have the same digest only if they are the same") {
  const Digester digester;
  const std::string text = "spec: {trainer: {numNodes: 4}}";
  std::set<Digest> digests;
  for (size_t length = 0; length <= text.size(); ++length)
    digests.insert(digester.of(text.substr(0, length)));
  for (size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    digests.insert(digester.of(changed));
  }
  digests.insert(digester.of(text + std::string(1, '\0')));
  digests.insert(digester.of(std::string(7, '\0')));
  digests.insert(digester.of(std::string(14, '\0')));
  CHECK(digests.size() == 2 * text.size() + 4);
  CHECK(digester.of(text) == digester.of(std::string(text)));
}

TEST_CASE("a text has another digest each time") {
  CHECK(Digester().of("text") != Digester().of("text"));
}

}  // namespace trainjobc::base
