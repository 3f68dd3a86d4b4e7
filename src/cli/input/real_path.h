// Paths as the file system takes them, links and ".." followed.
#pragma once

#include <string>

namespace trainjobc::cli {

// Absolute, without "..", and without symbolic links as far as it exists.
std::string real_path(const std::string& path);

// Whether what the path leads to is below the folder.
bool is_inside(const std::string& folder, const std::string& path);

}  // namespace trainjobc::cli
