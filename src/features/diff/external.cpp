// SPDX-License-Identifier: Apache-2.0

#include "features/diff/external.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/files/file_system.h"
#include "base/signals.h"
#include "base/text/text.h"

namespace trainjobc::diff {
namespace {

namespace fs = std::filesystem;

// A folder that only this user can read; the destructor removes it.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(std::string_view prefix) {
    std::error_code error;
    const fs::path parent = fs::temp_directory_path(error);
    std::string path = (error ? fs::path("/tmp") : parent) / fmt::format("{}-XXXXXX", prefix);
    if (::mkdtemp(path.data())) path_ = path;
  }
  ~TemporaryFolder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  // "" if it could not be made.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

bool is_plain(std::string_view word) {
  return !word.empty() &&
         std::ranges::all_of(word, [](char c) { return base::is_alnum(c) || c == '-' || c == '='; });
}

}  // namespace

std::vector<std::string> split_external(std::string_view variable) {
  std::vector<std::string> words;
  while (true) {
    const size_t end = variable.find(' ');
    const std::string_view word = variable.substr(0, end);
    if (words.empty() || is_plain(word)) words.emplace_back(word);
    if (end == std::string_view::npos) return words;
    variable.remove_prefix(end + 1);
  }
}

base::IoResult<base::ProcessResult> run_external(const cluster::Report& report, std::string_view variable,
                                                 const SideNames& sides, base::Streams streams,
                                                 base::ProcessRunner& runner) {
  const base::HeldSignals held;  // until the folders are gone
  const TemporaryFolder live(sides.before);
  const TemporaryFolder merged(sides.after);
  if (live.path().empty() || merged.path().empty()) {
    return base::IoError{
        fmt::format("create a temporary folder: {}", std::generic_category().message(errno))};
  }
  base::RealFileSystem files;
  const auto write = [&](const TemporaryFolder& folder, const cluster::ObjectDiff& object,
                         const yaml::Node* root) {
    if (!root) return std::optional<base::IoError>();
    return files.write(fmt::format("{}/{}", folder.path(), manifest_name(object)), manifest_of(root), 0600);
  };
  for (const cluster::ObjectDiff& object : report.objects) {
    if (!object.differs()) continue;
    if (auto error = write(live, object, object.live)) return *error;
    if (auto error = write(merged, object, object.merged)) return *error;
  }
  std::vector<std::string> words = split_external(variable);
  words.insert(words.begin() + 1, {live.path(), merged.path()});
  return runner.run({std::move(words), "", streams});
}

}  // namespace trainjobc::diff
