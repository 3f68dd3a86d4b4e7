// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/files/file_system.h"

namespace trainjobc::base {
namespace {

std::string with_slash(const std::string& path) {
  return path.ends_with('/') ? path : path + "/";
}

// The key in the map: "jobs/a.yaml" for "./jobs//a.yaml", "" for ".".
std::string key_of(const std::string& path) {
  const std::string normal = std::filesystem::path(path).lexically_normal().string();
  return normal == "." || normal == "./" ? "" : normal;
}

std::string prefix_of(const std::string& path) {
  const std::string key = key_of(path);
  return key.empty() ? key : with_slash(key);
}

}  // namespace

FileKind MemoryFileSystem::kind(const std::string& path) const {
  if (files.contains(key_of(path))) return FileKind::File;
  const std::string prefix = prefix_of(path);
  const auto at = files.lower_bound(prefix);
  return at != files.end() && at->first.starts_with(prefix) ? FileKind::Directory : FileKind::None;
}

IoResult<std::string> MemoryFileSystem::read(const std::string& path) const {
  const auto at = files.find(key_of(path));
  if (at == files.end()) return IoError{fmt::format("open {}: No such file or directory", path)};
  return at->second;
}

IoResult<std::vector<DirectoryEntry>> MemoryFileSystem::list(const std::string& path) const {
  std::vector<DirectoryEntry> entries;
  const std::string prefix = prefix_of(path);
  for (const auto& [name, text] : files) {
    if (!name.starts_with(prefix)) continue;
    const std::string rest = name.substr(prefix.size());
    const size_t slash = rest.find('/');
    const bool below = slash != std::string::npos;
    DirectoryEntry entry{rest.substr(0, slash), below ? FileKind::Directory : FileKind::File};
    if (entries.empty() || entries.back().name != entry.name) entries.push_back(std::move(entry));
  }
  std::ranges::sort(entries, {}, &DirectoryEntry::name);
  const auto repeated = std::ranges::unique(entries, {}, &DirectoryEntry::name);
  entries.erase(repeated.begin(), repeated.end());
  return entries;
}

std::optional<IoError> MemoryFileSystem::write(const std::string& path, std::string_view text,
                                               unsigned mode) {
  files[path] = text;
  modes[path] = mode;
  return std::nullopt;
}

std::optional<IoError> MemoryFileSystem::replace(const std::string& path, std::string_view old_text,
                                                 std::string_view text) {
  if (!files.contains(path)) return IoError{fmt::format("open {}: No such file or directory", path)};
  if (files[path] != old_text) return changed_meanwhile(path);
  files[path] = text;
  return std::nullopt;
}

bool MemoryFileSystem::stays_inside(const std::string& directory, const std::string& path) const {
  return are_plain_names(path) && !is_directory(with_slash(directory) + path);
}

std::optional<IoError> MemoryFileSystem::remove(const std::string& path) {
  if (files.erase(path) == 0) return IoError{fmt::format("remove {}: No such file or directory", path)};
  return std::nullopt;
}

std::optional<IoError> MemoryFileSystem::make_directory(const std::string& /*path*/) {
  return std::nullopt;
}

}  // namespace trainjobc::base
