// SPDX-License-Identifier: Apache-2.0

// Paths as the file system resolves them, following links and "..".
#pragma once

#include <string>

namespace trainjobc::cli {

// Absolute, without "..", and without symbolic links as far as it exists.
std::string real_path(const std::string& path);

// Whether the target of the path is below the folder.
bool is_inside(const std::string& folder, const std::string& path);

}  // namespace trainjobc::cli
