// Which configuration governs which file.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/files/file_system.h"
#include "tools/lint/config.h"

namespace trainjobc::lint {

// Finds the .trainjobc.yaml of each file: in its folder, or the nearest one above it up to the root of its
// repository. A file in no repository, below no configuration, and standard input get that of the working
// directory. Each is read once.
class Configurations {
 public:
  // One file for all, if `file` names it; none at all, if `none`.
  Configurations(base::FileSystem& files, std::string file, bool none);

  // Never null: a file may have an empty Config. After an error, too.
  std::shared_ptr<const Config> of_file(const std::string& name);
  std::shared_ptr<const Config> of_working_directory();

  // What is wrong with the configurations that were read, "" if nothing is.
  const std::string& error() const { return error_; }

 private:
  struct Found {
    std::shared_ptr<const Config> config;  // nullptr: none up to there
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

// The name of the configuration whose `exclude` leaves out the file or folder, or a folder above it; "" where
// none does.
std::string excluded_by(Configurations* configurations, const std::string& name);

}  // namespace trainjobc::lint
