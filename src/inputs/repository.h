// SPDX-License-Identifier: Apache-2.0

// The repository that a path is in, without asking git: the folder with a .git.
#pragma once

#include <string>

#include "base/files/file_system.h"

namespace trainjobc::inputs {

// Whether the absolute folder has a .git.
bool is_repository(const base::FileSystem& files, const std::string& folder);

// The nearest folder above the absolute path, or the path itself, that has a .git; "" if none has.
std::string repository_of(const base::FileSystem& files, const std::string& path);

// The same of the working directory, which it is if it is in no repository.
std::string repository_or_working_directory(const base::FileSystem& files);

}  // namespace trainjobc::inputs
