// SPDX-License-Identifier: Apache-2.0

// .trainjobc.yaml: a repository's settings, and the files to which they apply.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/files/file_system.h"
#include "base/source.h"

namespace trainjobc::lint {

// The name of a configuration in its folder.
inline constexpr const char* kConfigName = ".trainjobc.yaml";

// Suppresses the findings of a rule in some files.
struct PathSuppression {
  std::string rule;
  std::vector<std::string> paths;  // globs, relative to the configuration's folder
  std::string reason;
  base::Location location;  // in the configuration
};

struct Config {
  std::string folder;  // of the file; "" if there is none. Paths in it are relative to this
  std::optional<std::string> trainer_version;
  std::vector<std::string> runtimes;  // joined with `folder`
  std::optional<bool> catalogue;
  std::optional<std::string> ns;
  std::optional<std::string> fail_on;
  std::map<std::string, std::optional<base::Severity>> rules;  // nullopt: off
  std::vector<PathSuppression> suppressions;
  std::vector<std::string> exclude;              // globs of what is not read, relative to `folder`
  std::shared_ptr<const base::SourceFile> file;  // the file of the locations
};

// An invalid configuration: printed as it is, exit status 2.
struct ConfigError {
  std::string text;
};

using ConfigResult = std::variant<Config, ConfigError>;

// Reads the file at `path`.
ConfigResult load_config(base::FileSystem& files, const std::string& path);

// What is wrong with a configuration, as diagnostics.
struct ConfigProblem {
  base::Diagnostics diagnostics;
  std::shared_ptr<const base::SourceFile> file;  // of their locations
};

// nullopt if load_config would read it, and if there is no such file.
std::optional<ConfigProblem> find_config_problem(const base::FileSystem& files, const std::string& path);

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
