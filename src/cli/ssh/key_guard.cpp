// SPDX-License-Identifier: Apache-2.0

#include "cli/ssh/key_guard.h"

#include <fmt/format.h>

#include "cli/input/real_path.h"

namespace trainjobc::cli {

GuardedFiles::GuardedFiles(base::FileSystem& files, const SshKeyFlag& key, const Console& console)
    : files_(files), folder_(key.allowed_folder(console)) {
  if (key.names_file()) key_ = real_path(key.file_in(folder_));
}

base::IoResult<std::string> GuardedFiles::read(const std::string& path) const {
  const std::string real = real_path(path);
  if (real == key_ || (!folder_.empty() && is_inside(folder_, real)))
    return base::IoError{fmt::format("open {}: SSH key files are never read as input", path)};
  return files_.read(path);
}

}  // namespace trainjobc::cli
