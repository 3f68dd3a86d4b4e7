// --fix, migrate and function over every manifest of the repository, and over styles that are hard to
// rewrite.
#include "support/rewriting.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

using namespace trainjobc;

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> manifests(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, error)) {
    const std::string ending = entry.path().extension().string();
    if (entry.is_regular_file() && (ending == ".yaml" || ending == ".yml")) found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Of each folder as many manifests, spread over it, as the time allows.
void check_all(const fs::path& folder, std::chrono::seconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  const std::vector<fs::path> paths = manifests(folder);
  constexpr size_t kStride = 61;  // prime to most counts, so that neighbours, which are alike, come late
  for (size_t start = 0; start < kStride; ++start) {
    for (size_t i = start; i < paths.size(); i += kStride) {
      if (std::chrono::steady_clock::now() > end) return;
      const std::string text = read(paths[i]);
      if (text.size() > 100'000) continue;
      CAPTURE(paths[i].string());
      CHECK(test::wrong_with_rewriting(text) == "");
    }
  }
}

const fs::path kRoot = TRAINJOBC_SOURCE_DIR;

}  // namespace

TEST_CASE("rewriting: the examples and the inputs of golden/") {
  CHECK(manifests(kRoot / "golden").size() > 20);
  check_all(kRoot / "examples", std::chrono::seconds(20));
  check_all(kRoot / "golden", std::chrono::seconds(40));
}

TEST_CASE("rewriting: the recorded inputs") {
  check_all(kRoot / "tests" / "conformance", std::chrono::seconds(20));
  check_all(kRoot.parent_path() / "shared" / "conformance", std::chrono::seconds(20));
}
