// SPDX-License-Identifier: Apache-2.0

// Finds the repository of a path without git: the folder with a .git.
#pragma once

#include <string>

#include "base/files/file_system.h"

namespace trainjobc::inputs {

// Whether the absolute folder has a .git.
bool is_repository(const base::FileSystem& files, const std::string& folder);

// The absolute path, or the nearest folder above it, that has a .git; "" if none has.
std::string repository_of(const base::FileSystem& files, const std::string& path);

// The working directory's repository, or the working directory if it is in none.
std::string repository_or_working_directory(const base::FileSystem& files);

}  // namespace trainjobc::inputs
