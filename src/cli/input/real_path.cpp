// SPDX-License-Identifier: Apache-2.0

#include "cli/input/real_path.h"

#include <filesystem>

namespace trainjobc::cli {

namespace fs = std::filesystem;

std::string real_path(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  const fs::path found = fs::weakly_canonical(whole, error);
  return error ? whole.lexically_normal().string() : found.string();
}

bool is_inside(const std::string& folder, const std::string& path) {
  const fs::path from_folder = fs::path(real_path(path)).lexically_relative(real_path(folder + "/."));
  return !from_folder.empty() && from_folder != "." && *from_folder.begin() != "..";
}

}  // namespace trainjobc::cli
