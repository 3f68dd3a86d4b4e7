// SPDX-License-Identifier: Apache-2.0

// .trainjobc.yaml: a repository's settings.
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

}  // namespace trainjobc::lint
