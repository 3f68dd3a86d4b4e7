#include <fmt/format.h>

#include "base/file_system.h"

namespace trainjobc::base {
namespace {

std::string with_slash(const std::string& path) {
  return path.ends_with('/') ? path : path + "/";
}

}  // namespace

bool MemoryFileSystem::is_directory(const std::string& path) const {
  const auto at = files.lower_bound(with_slash(path));
  return at != files.end() && at->first.starts_with(with_slash(path));
}

bool MemoryFileSystem::exists(const std::string& path) const {
  return files.contains(path) || is_directory(path);
}

IoResult<std::string> MemoryFileSystem::read(const std::string& path) const {
  const auto at = files.find(path);
  if (at == files.end()) return IoError{fmt::format("open {}: No such file or directory", path)};
  return at->second;
}

IoResult<std::vector<std::string>> MemoryFileSystem::list(const std::string& path, bool recurse) const {
  std::vector<std::string> paths;
  const std::string prefix = with_slash(path);
  for (const auto& [name, text] : files) {
    if (!name.starts_with(prefix)) continue;
    const std::string rest = name.substr(prefix.size());
    if (!recurse && rest.find('/') != std::string::npos) continue;
    if (rest.starts_with('.') || rest.find("/.") != std::string::npos) continue;
    paths.push_back(name);
  }
  return paths;
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
