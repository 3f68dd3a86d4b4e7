// SPDX-License-Identifier: Apache-2.0

#include "cli/input/discover.h"

#include <algorithm>

#include "base/files/paths.h"
#include "cli/input/ignores.h"

namespace trainjobc::cli {
namespace {

using base::DirectoryEntry;
using base::FileKind;
using base::IoError;

class Walk {
 public:
  Walk(const base::FileSystem& files, const DiscoverOptions& options) : files_(files), options_(options) {}

  Discovery found;

  std::optional<IoError> enter(const std::string& directory, const Ignores& ignores) {
    const auto listed = files_.list(directory);
    if (const auto* error = std::get_if<IoError>(&listed)) return *error;
    for (const DirectoryEntry& entry : std::get<std::vector<DirectoryEntry>>(listed)) {
      if (entry.name.starts_with('.')) continue;
      if (auto error = take(directory, entry, ignores)) return error;
    }
    return std::nullopt;
  }

 private:
  std::optional<IoError> take(const std::string& directory, const DirectoryEntry& entry,
                              const Ignores& ignores) {
    const bool is_folder = entry.kind == FileKind::Directory;
    if (is_folder ? !options_.recurse : !is_manifest(entry.name)) return std::nullopt;
    const std::string path = directory.ends_with('/') ? directory + entry.name : directory + "/" + entry.name;
    const std::string absolute = base::absolute_path(path);
    if (const std::string why = why_not(entry, path, absolute, ignores); !why.empty()) {
      found.passed_over.push_back({is_folder ? path + "/" : path, 0, why});
    } else if (!is_folder) {
      found.files.push_back(path);
    } else {
      return enter(path, options_.git_ignores ? Ignores(files_, ignores, absolute) : ignores);
    }
    return std::nullopt;
  }

  // "" if it should be read.
  std::string why_not(const DirectoryEntry& entry, const std::string& path, const std::string& absolute,
                      const Ignores& ignores) const {
    const bool is_folder = entry.kind == FileKind::Directory;
    if (options_.git_ignores && ignores.ignores(absolute, is_folder && !entry.is_link))
      return "is ignored by git";
    if (is_folder && entry.is_link) return "is a link to a folder";
    if (entry.kind == FileKind::Other) return "is not a regular file";
    const std::string by = lint::excluded_by(options_.configurations, path);
    return by.empty() ? by : "is excluded by " + by;
  }

  const base::FileSystem& files_;
  const DiscoverOptions& options_;
};

}  // namespace

bool is_manifest(std::string_view path) {
  return path.ends_with(".yaml") || path.ends_with(".yml") || path.ends_with(".json");
}

base::IoResult<Discovery> discover(const base::FileSystem& files, const std::string& directory,
                                   const DiscoverOptions& options) {
  Walk walk(files, options);
  if (auto error = walk.enter(directory, Ignores(files, base::absolute_path(directory)))) return *error;
  return std::move(walk.found);
}

}  // namespace trainjobc::cli
