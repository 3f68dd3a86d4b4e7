// SPDX-License-Identifier: Apache-2.0

#include "base/files/paths.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <vector>

#include "base/text/text.h"

namespace trainjobc::base {

std::string working_directory() {
  std::error_code failed;
  const std::filesystem::path here = std::filesystem::current_path(failed);
  return failed ? "" : here.string();
}

namespace {

// std::filesystem::path would keep an object for each name: a text of 80 kB may have 40,000.
std::vector<std::string_view> names_of(std::string_view path) {
  return non_empty_parts(path, "/");
}

std::string joined(std::span<const std::string_view> names) {
  std::string path;
  for (const std::string_view name : names) path.append(path.empty() ? "" : "/").append(name);
  return path;
}

}  // namespace

std::string normal_path(std::string_view path) {
  const bool is_absolute = path.starts_with('/');
  std::vector<std::string_view> names;
  for (const std::string_view name : names_of(path)) {
    if (name == ".") continue;
    const bool goes_up = name == ".." && (is_absolute || (!names.empty() && names.back() != ".."));
    if (goes_up && !names.empty()) names.pop_back();
    if (!goes_up) names.push_back(name);
  }
  const std::string normal = joined(names);
  return is_absolute ? "/" + normal : normal.empty() ? "." : normal;
}

std::string absolute_path(const std::string& path) {
  const std::string here = path.starts_with('/') ? "" : working_directory();
  return normal_path(here.empty() ? path : here + "/" + path);
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

std::string joined_path(const std::string& folder, const std::string& name) {
  if (folder == ".") return name;
  return folder.ends_with('/') ? folder + name : folder + "/" + name;
}

std::string path_below(const std::string& absolute, const std::string& folder) {
  const std::string prefix = folder.ends_with('/') ? folder : folder + "/";
  return absolute.starts_with(prefix) ? absolute.substr(prefix.size()) : "";
}

std::string path_from(const std::string& absolute, const std::string& folder) {
  const std::vector<std::string_view> names = names_of(absolute);
  const std::vector<std::string_view> above = names_of(folder);
  const auto [rest, left] = std::ranges::mismatch(names, above);
  std::vector<std::string_view> path(static_cast<size_t>(above.end() - left), "..");
  path.insert(path.end(), rest, names.end());
  return path.empty() ? "." : joined(path);
}

std::string real_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error);
  const std::filesystem::path found = std::filesystem::weakly_canonical(whole, error);
  return error ? whole.lexically_normal().string() : found.string();
}

bool is_inside(const std::string& folder, const std::string& path) {
  const std::filesystem::path from_folder =
      std::filesystem::path(real_path(path)).lexically_relative(real_path(folder + "/."));
  return !from_folder.empty() && from_folder != "." && *from_folder.begin() != "..";
}

}  // namespace trainjobc::base
