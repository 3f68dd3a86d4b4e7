// rewriting PATH…: every manifest of the folders, and every file, through --fix, migrate and function (see
// support/rewriting.h). Prints what is wrong; status 1 if something is, or if nothing was found.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "support/rewriting.h"

namespace {

namespace fs = std::filesystem;

constexpr size_t kLargest = 100'000;

bool is_manifest(const fs::path& path) {
  return path.extension() == ".yaml" || path.extension() == ".yml";
}

std::vector<fs::path> manifests(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file() && is_manifest(entry.path())) found.push_back(entry.path());
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

struct Case {
  fs::path path;
  std::string text;
  std::string wrong;
};

// No text twice: many recorded inputs of one version are those of another.
std::vector<Case> cases_in(const std::vector<std::string>& paths) {
  std::vector<Case> cases;
  std::set<std::string> seen;
  for (const std::string& given : paths) {
    for (const fs::path& path : manifests(given)) {
      std::string text = read(path);
      if (text.size() <= kLargest && seen.insert(text).second) cases.push_back({path, std::move(text), ""});
    }
  }
  return cases;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Case> cases = cases_in({argv + 1, argv + argc});
  constexpr unsigned kThreads = 2;
  trainjobc::base::parallel_for(cases.size(), 1, kThreads, [&](size_t i) {
    cases[i].wrong = trainjobc::test::wrong_with_rewriting(cases[i].text);
  });
  const auto failed = std::ranges::count_if(cases, [](const Case& one) { return !one.wrong.empty(); });
  for (const Case& one : cases) {
    if (!one.wrong.empty()) fmt::print("{}: {}\n", one.path.string(), one.wrong);
  }
  fmt::print("{} manifests, {} wrong\n", cases.size(), failed);
  return failed == 0 && !cases.empty() ? 0 : 1;
}
