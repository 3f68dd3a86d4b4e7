// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include "base/text/glob.h"

namespace trainjobc::glob_set_test {
using trainjobc::base::GlobSet;

TEST_CASE("the globs that match a path, in their order") {
  GlobSet set;
  CHECK(set.add("jobs/a.yaml") == 0);
  CHECK(set.add("jobs/*.yaml") == 1);
  CHECK(set.add("**/a.yaml") == 2);
  CHECK(set.add("**") == 3);
  CHECK(set.add("jobs/a.yaml") == 0);
  CHECK(set.add("**/jobs/?.yaml") == 4);
  CHECK(set.add("job") == 5);
  CHECK(set.add("*/a*") == 6);
  CHECK(set.add("**/*.yaml") == 7);
  CHECK(set.add("jobs/**/a.yaml") == 8);
  CHECK(set.size() == 9);
  CHECK(set.matches("jobs/a.yaml") == std::vector<size_t>{0, 1, 2, 3, 4, 6, 7, 8});
  CHECK(set.matches("jobs/ab.yaml") == std::vector<size_t>{1, 3, 6, 7});
  CHECK(set.matches("team/jobs/a.yaml") == std::vector<size_t>{2, 3, 4, 7});
  CHECK(set.matches("a.yaml") == std::vector<size_t>{2, 3, 7});
  CHECK(set.matches("") == std::vector<size_t>{3});
}

// Each path compared with each glob would be minutes.
TEST_CASE("as many globs as paths") {
  GlobSet set;
  constexpr size_t kCount = 50'000;
  for (size_t i = 0; i < kCount; ++i) {
    set.add("jobs/" + std::to_string(i) + ".yaml");
    set.add("**/" + std::to_string(i) + "/*.yaml");
  }
  size_t matches = 0;
  for (size_t i = 0; i < kCount; ++i) {
    matches += set.matches("jobs/" + std::to_string(i) + ".yaml").size();
    matches += set.matches("team/" + std::to_string(i) + "/job.yaml").size();
  }
  CHECK(matches == 2 * kCount);
}

}  // namespace trainjobc::glob_set_test
