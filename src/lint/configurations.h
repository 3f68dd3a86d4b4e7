// SPDX-License-Identifier: Apache-2.0

// Finds the configuration of each file.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/files/file_system.h"
#include "lint/config.h"

namespace trainjobc::lint {

// Finds the .trainjobc.yaml of each file: in its folder, or the nearest one above it up to the root of its
// repository. A file outside of repositories without a configuration above it, and standard input, get that
// of the working directory. Each configuration is read once.
class Configurations {
 public:
  // Uses `file` for all, if it is not ""; no configuration, if `none`.
  Configurations(base::FileSystem& files, std::string file, bool none);

  // Never null: a file without a configuration has an empty Config, also after an error.
  std::shared_ptr<const Config> of_file(const std::string& name);
  std::shared_ptr<const Config> of_working_directory();

  // The errors in the configurations that were read; "" if there are none.
  const std::string& error() const { return error_; }

 private:
  struct Found {
    std::shared_ptr<const Config> config;  // nullptr: none so far
    bool in_repository = false;
  };

  const Found& of_folder(const std::string& absolute);
  std::shared_ptr<const Config> read(const std::string& path);

  base::FileSystem& files_;
  std::shared_ptr<const Config> only_;  // for all files
  std::shared_ptr<const Config> empty_ = std::make_shared<Config>();
  std::map<std::string, Found> folders_;
  std::string error_;
};

// The name of the configuration whose `exclude` leaves out the file or folder, or a folder above it; "" if
// none does.
std::string excluded_by(Configurations* configurations, const std::string& name);

}  // namespace trainjobc::lint
