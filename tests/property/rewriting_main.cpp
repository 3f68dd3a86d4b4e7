// SPDX-License-Identifier: Apache-2.0

// rewriting [--random COUNT SEED] PATH…: every manifest of the folders, and every file, through --fix,
// migrate and function (see support/properties/rewriting.h); and so many texts that random changes make of
// them, the same ones for the same seed. Prints what is wrong; status 1 if something is, or if nothing was
// found.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "support/properties/rewriting.h"

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

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  Lines lines;
  std::stringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Values that are hard to rewrite, or to read.
constexpr auto kValues = std::to_array<const char*>(
    {"",     "~",   "null",    "{}", "[]",   "{a: b}", "[a, b]", "'a # b'", "\"a\\nb\"",
     "&a x", "*a",  "!!str 1", "|",  ">-",   "|2",     "0x1F",   "yes",     "\"2\"",
     "-1",   "1e3", "é",       "\t", "a: b", "- a",    "#"});
constexpr auto kLines = std::to_array<const char*>({"---", "...", "# note", "", "%YAML 1.1", "? a", ": b",
                                                    "<<: *a", "- &a {b: c}", "\t# tab", "  #", "}", "]"});

class Changer {
 public:
  Changer(const std::vector<Case>& cases, uint64_t seed) : cases_(cases), random_(seed) {}

  std::string text() {
    Lines lines = lines_of(cases_[below(cases_.size())].text);
    if (lines.empty()) lines.emplace_back();
    for (size_t left = 1 + below(4); left > 0; --left) change(lines);
    const char* ending = below(40) == 0 ? "\r\n" : "\n";
    std::string text;
    for (const std::string& line : lines) text += line + ending;
    if (below(20) == 0 && !text.empty()) text.pop_back();
    return text;
  }

 private:
  size_t below(size_t count) { return static_cast<size_t>(random_() % count); }

  void change(Lines& lines) {
    const size_t at = below(lines.size());
    const auto here = lines.begin() + static_cast<std::ptrdiff_t>(at);
    const std::string line = lines[at];
    const size_t colon = line.find(": ");
    switch (below(9)) {
      case 0:
        if (lines.size() > 1) lines.erase(here);
        break;
      case 1: lines.insert(here, line); break;
      case 2: std::swap(lines[at], lines[below(lines.size())]); break;
      case 3: lines[at] = "  " + line; break;
      case 4: lines[at] = line.starts_with("  ") ? line.substr(2) : line; break;
      case 5: lines[at] = line + (below(2) == 0 ? "  # note" : " #"); break;
      case 6:
        lines[at] = line.substr(0, std::min(colon, line.size())) + ": " + kValues[below(kValues.size())];
        break;
      case 7: lines.insert(here, kLines[below(kLines.size())]); break;
      default: {
        const Lines others = lines_of(cases_[below(cases_.size())].text);
        if (!others.empty()) lines.insert(here, others[below(others.size())]);
      }
    }
  }

  const std::vector<Case>& cases_;
  std::mt19937_64 random_;
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  size_t count = 0;
  uint64_t seed = 0;
  if (words.size() > 3 && words[0] == "--random") {
    count = std::stoul(words[1]);
    seed = std::stoull(words[2]);
    words.erase(words.begin(), words.begin() + 3);
  }
  std::vector<Case> cases = cases_in(words);
  if (count > 0 && !cases.empty()) {
    Changer changer(cases, seed);
    std::vector<Case> changed(count);
    for (size_t i = 0; i < count; ++i) changed[i] = {"text " + std::to_string(i + 1), changer.text(), ""};
    cases = std::move(changed);
  }
  constexpr unsigned kThreads = 2;
  trainjobc::base::parallel_for(cases.size(), 1, kThreads, [&](size_t i) {
    cases[i].wrong = trainjobc::test::wrong_with_rewriting(cases[i].text);
  });
  const auto failed = std::ranges::count_if(cases, [](const Case& one) { return !one.wrong.empty(); });
  for (const Case& one : cases) {
    if (one.wrong.empty()) continue;
    fmt::print("{}: {}\n", one.path.string(), one.wrong);
    if (count > 0) fmt::print("of:\n{}\n", one.text);
  }
  fmt::print("{} manifests, {} wrong\n", cases.size(), failed);
  return failed == 0 && !cases.empty() ? 0 : 1;
}
