// SPDX-License-Identifier: Apache-2.0

#include "base/files/paths.h"

#include <doctest/doctest.h>

#include <string>

namespace trainjobc::base::paths_test {

TEST_CASE("paths: normal form") {
  CHECK(normal_path("/repo//jobs/./../jobs/a.yaml") == "/repo/jobs/a.yaml");
  CHECK(normal_path("/..") == "/");
  CHECK(normal_path("/../a/") == "/a");
  CHECK(normal_path("a/..") == ".");
  CHECK(normal_path("a/../../b") == "../b");
  CHECK(normal_path("../../b/.") == "../../b");
  CHECK(normal_path("") == ".");
  CHECK(normal_path("./") == ".");
  CHECK(absolute_path("/a/b/") == "/a/b");
  CHECK(absolute_path("/") == "/");
  CHECK(absolute_path("a/../b") == absolute_path("b"));
}

TEST_CASE("paths: from a folder") {
  CHECK(path_from("/repo/jobs/a.yaml", "/repo") == "jobs/a.yaml");
  CHECK(path_from("/repo/jobs/a.yaml", "/repo/team") == "../jobs/a.yaml");
  CHECK(path_from("/repo/jobs", "/repo/jobs/deep/er") == "../..");
  CHECK(path_from("/repo", "/repo") == ".");
  CHECK(path_from("/repo/jobs", "/") == "repo/jobs");
  CHECK(path_from("/", "/repo/jobs") == "../..");
  CHECK(path_from("/repo-2/a", "/repo") == "../repo-2/a");
}

// std::filesystem::path would take gigabytes.
TEST_CASE("paths: of a million names") {
  std::string path = "/x";
  for (int i = 0; i < 1'000'000; ++i) path += "/a";
  CHECK(normal_path(path) == path);
  CHECK(path_from(path, "/x").size() == path.size() - 3);
  CHECK(normal_path(path + "/../../b").size() == path.size() - 2);
}

}  // namespace trainjobc::base::paths_test
