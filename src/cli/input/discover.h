// The manifests of a directory.
#pragma once

#include <string>
#include <vector>

#include "cli/output/console.h"
#include "compile/compile.h"
#include "tools/lint/configurations.h"

namespace trainjobc::cli {

// How directories are read.
struct DiscoverOptions {
  bool recurse = true;
  bool git_ignores = true;  // leave out what .gitignore and .git/info/exclude leave out
  lint::Configurations* configurations = nullptr;  // whose `exclude` counts; nullptr: none
};

struct Discovery {
  std::vector<std::string> files;       // .yaml, .yml and .json, sorted
  std::vector<PassedOver> passed_over;  // what was left out, but for hidden files and other suffixes
};

bool is_manifest(std::string_view path);

// Hidden files and folders, links to folders, and what is not a regular file are left out. A link that leads
// nowhere is among the files: reading it says so. The directory
// itself is, even if it is hidden or ignored.
base::IoResult<Discovery> discover(const base::FileSystem& files, const std::string& directory,
                                   const DiscoverOptions& options);

}  // namespace trainjobc::cli
