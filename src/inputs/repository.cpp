// SPDX-License-Identifier: Apache-2.0

#include "inputs/repository.h"

#include "base/files/paths.h"

namespace trainjobc::inputs {

bool is_repository(const base::FileSystem& files, const std::string& folder) {
  return files.exists(base::joined_path(base::shortest_path(folder), ".git"));
}

std::string repository_of(const base::FileSystem& files, const std::string& path) {
  std::string folder = path;
  while (!folder.empty() && !is_repository(files, folder)) folder = base::parent_of(folder);
  return folder;
}

std::string repository_or_working_directory(const base::FileSystem& files) {
  const std::string here = base::working_directory();
  const std::string root = repository_of(files, here);
  return root.empty() ? here : root;
}

}  // namespace trainjobc::inputs
