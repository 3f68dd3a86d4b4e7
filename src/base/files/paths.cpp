// SPDX-License-Identifier: Apache-2.0

#include "base/files/paths.h"

#include <filesystem>

namespace trainjobc::base {

std::string working_directory() {
  std::error_code failed;
  const std::filesystem::path here = std::filesystem::current_path(failed);
  return failed ? "" : here.string();
}

std::string absolute_path(const std::string& path) {
  const std::filesystem::path given(path);
  const std::filesystem::path whole = given.is_absolute() ? given : working_directory() / given;
  std::string normal = whole.lexically_normal().string();
  while (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
  return normal;
}

std::string parent_of(const std::string& absolute) {
  const size_t slash = absolute.rfind('/');
  if (slash == std::string::npos || absolute == "/") return "";
  return slash == 0 ? "/" : absolute.substr(0, slash);
}

std::string shortest_path(const std::string& absolute) {
  const std::string here = working_directory();
  if (here.empty() || here == absolute) return here.empty() ? absolute : ".";
  const std::string below = path_below(absolute, here);
  return below.empty() ? absolute : below;
}

std::string path_below(const std::string& absolute, const std::string& folder) {
  const std::string prefix = folder.ends_with('/') ? folder : folder + "/";
  return absolute.starts_with(prefix) ? absolute.substr(prefix.size()) : "";
}

std::string path_from(const std::string& absolute, const std::string& folder) {
  const std::string below = path_below(absolute, folder);
  return !below.empty() ? below : std::filesystem::path(absolute).lexically_relative(folder).string();
}

}  // namespace trainjobc::base
