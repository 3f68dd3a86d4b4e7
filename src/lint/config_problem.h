// SPDX-License-Identifier: Apache-2.0

// What is wrong with a configuration, as diagnostics.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "lint/config.h"

namespace trainjobc::lint {

// The name of a configuration in its folder.
inline constexpr const char* kConfigName = ".trainjobc.yaml";

struct ConfigProblem {
  base::Diagnostics diagnostics;
  std::shared_ptr<const base::SourceFile> file;  // of their locations
};

// nullopt if load_config would read it, and if there is no such file.
std::optional<ConfigProblem> find_config_problem(const base::FileSystem& files, const std::string& path);

}  // namespace trainjobc::lint
