// SPDX-License-Identifier: Apache-2.0

// What the fuzz target of the webhook holds to be true, over its seeds and each of their beginnings.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "support/properties/reviewing.h"

namespace trainjobc::fuzz_seeds_test {

TEST_CASE("review: whatever is sent has an answer") {
  for (const char* name :
       {"create-job.json", "create-job-suppressed.json", "small.json", "update-runtime.json"}) {
    CAPTURE(name);
    std::ifstream file(std::string(TRAINJOBC_SOURCE_DIR "/tests/fuzz/seeds/webhook/") + name);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    REQUIRE(!text.empty());
    for (size_t end = text.size(); end > 0; end -= std::min<size_t>(end, 97))
      CHECK(test::wrong_with_review(text.substr(0, end)) == "");
  }
}

}  // namespace trainjobc::fuzz_seeds_test
