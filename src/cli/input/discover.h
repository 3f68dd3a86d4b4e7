// SPDX-License-Identifier: Apache-2.0

// The manifests of a directory.
#pragma once

#include <string>
#include <vector>

#include "cli/output/console.h"
#include "compile/compile.h"
#include "lint/config.h"

namespace trainjobc::cli {

// How directories are read.
struct DiscoverOptions {
  bool recurse = true;
  bool git_ignores = true;                         // leave out what .gitignore and .git/info/exclude exclude
  lint::Configurations* configurations = nullptr;  // whose `exclude` applies; nullptr: none
};

struct Discovery {
  std::vector<std::string> files;       // .yaml, .yml and .json, sorted
  std::vector<PassedOver> passed_over;  // what was left out, except hidden files and other suffixes
};

bool is_manifest(std::string_view path);

// Leaves out hidden files and folders, links to folders, and anything that is not a regular file. A dangling
// link is included: reading it reports the error. The directory itself is read even if it is hidden or
// ignored.
base::IoResult<Discovery> discover(const base::FileSystem& files, const std::string& directory,
                                   const DiscoverOptions& options);

}  // namespace trainjobc::cli
