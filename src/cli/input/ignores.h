// SPDX-License-Identifier: Apache-2.0

// What git ignores, from the root of a repository down to a folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/files/file_system.h"
#include "base/files/git_ignore.h"

namespace trainjobc::cli {

// A stack of .gitignore files. Folders are absolute paths.
class Ignores {
 public:
  // Reads those from the repository's root down to `folder`; outside of repositories, from the working
  // directory if `folder` is below it.
  Ignores(const base::FileSystem& files, const std::string& folder);

  // `outer`, with the file of the folder below it. A repository in a repository has only its own files.
  Ignores(const base::FileSystem& files, const Ignores& outer, const std::string& folder);

  bool ignores(const std::string& absolute, bool is_directory) const;

 private:
  struct Layer {
    std::string folder;
    base::GitIgnore rules;
  };

  void add_folder(const base::FileSystem& files, const std::string& folder);
  void add_file(const base::FileSystem& files, const std::string& folder, const std::string& path);

  std::vector<std::shared_ptr<const Layer>> layers_;  // the last takes precedence
};

}  // namespace trainjobc::cli
