// SPDX-License-Identifier: Apache-2.0

// Golden cases: golden/<case>/command holds arguments, one per line; stdout, stderr and status are what the
// binary prints when it runs in that folder. golden/rules/<rule> shows what a rule of lint reports.
// TRAINJOBC_UPDATE_GOLDEN=1 rewrites them.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/test_console.h"

namespace trainjobc::golden_test {
namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> read_lines(const fs::path& path) {
  std::istringstream text(read_text(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

bool updates() {
  return std::getenv("TRAINJOBC_UPDATE_GOLDEN") != nullptr;
}

// An empty stream has no file.
void compare(const fs::path& path, const std::string& got) {
  if (!updates()) {
    CHECK_MESSAGE(read_text(path) == got, path.string());
    return;
  }
  if (got.empty()) {
    fs::remove(path);
  } else {
    std::ofstream(path, std::ios::binary) << got;
  }
}

void run_case(const fs::path& folder) {
  INFO("golden case ", folder.filename().string());
  fs::current_path(folder);
  trainjobc::base::RealFileSystem files;
  trainjobc::test::TestConsole console(files);
  if (fs::exists(folder / "stdin")) console.in = read_text(folder / "stdin");
  const int status = trainjobc::cli::run(read_lines(folder / "command"), console);
  compare(folder / "stdout", console.out);
  compare(folder / "stderr", console.err);
  compare(folder / "status", std::to_string(status) + "\n");
}

}  // namespace

TEST_CASE("golden cases") {
  const fs::path here = fs::current_path();
  size_t count = 0;
  std::vector<fs::path> folders;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(TRAINJOBC_SOURCE_DIR "/golden")) {
    if (entry.path().filename() == "command") folders.push_back(entry.path().parent_path());
  }
  std::ranges::sort(folders);
  for (const fs::path& folder : folders) {
    run_case(folder);
    ++count;
  }
  fs::current_path(here);
  CHECK(count > 0);
}

}  // namespace trainjobc::golden_test
