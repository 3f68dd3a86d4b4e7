// SPDX-License-Identifier: Apache-2.0

#include "inputs/kustomize/mirror.h"

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/files/paths.h"
#include "base/text/text.h"
#include "inputs/kustomize/kustomization.h"

namespace trainjobc::kustomize {
namespace {

namespace fs = std::filesystem;

base::IoError mirror_error(const std::string& path, const std::error_code& error) {
  return base::io_error("link", path, error.value());
}

// Links to everything in a folder, except for one name.
std::optional<base::IoError> link_all(const std::string& from, const std::string& to,
                                      std::string_view except) {
  std::error_code error;
  for (fs::directory_iterator entry(from, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name == except || name == ".git" || (except.empty() && is_kustomization(name))) continue;
    std::error_code failed;
    fs::create_symlink(entry->path(), fs::path(to) / name, failed);
    if (failed) return mirror_error(entry->path().string(), failed);
  }
  if (error) return mirror_error(from, error);
  return std::nullopt;
}

}  // namespace

base::IoResult<std::shared_ptr<Mirror>> Mirror::make(const std::string& repository, const std::string& folder,
                                                     std::string_view kustomization) {
  const std::shared_ptr<Mirror> mirror(new Mirror());
  std::error_code error;
  // The path of the mirror must have no links, because kustomize resolves them.
  std::string made = (fs::canonical(fs::temp_directory_path(error), error) / "trainjobc-XXXXXX").string();
  if (error || !mkdtemp(made.data())) return base::io_error("create", made, errno);
  mirror->root_ = made;
  mirror->repository_ = repository;
  std::string from = repository;
  std::string to = made;
  const std::string below = base::path_below(folder, repository);
  for (const std::string_view name : base::non_empty_parts(below, "/")) {
    if (auto failed = link_all(from, to, name)) return *failed;
    from = base::joined_path(from, std::string(name));
    to = base::joined_path(to, std::string(name));
    fs::create_directory(to, error);
    if (error) return mirror_error(to, error);
  }
  if (auto failed = link_all(from, to, "")) return *failed;
  mirror->folder_ = to;
  base::RealFileSystem disk;
  if (auto failed = disk.write(to + "/kustomization.yaml", kustomization, 0600)) return *failed;
  return mirror;
}

Mirror::~Mirror() {
  std::error_code ignored;
  if (!root_.empty()) fs::remove_all(root_, ignored);
}

std::string Mirror::with_own_paths(std::string text) const {
  for (size_t at = text.find(root_); at != std::string::npos; at = text.find(root_, at + repository_.size()))
    text.replace(at, root_.size(), repository_);
  return text;
}

}  // namespace trainjobc::kustomize
