// SPDX-License-Identifier: Apache-2.0

// The files that paths name, and the manifests of directories.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/compile.h"
#include "inputs/config.h"

namespace trainjobc::inputs {

// Reads a text when it is needed.
using ReadText = std::function<base::IoResult<std::string>()>;

// How paths are read.
struct DiscoverOptions {
  bool recurse = true;
  bool git_ignores = true;                   // leave out what .gitignore and .git/info/exclude exclude
  Configurations* configurations = nullptr;  // applies the `exclude` of these; may be nullptr
  ReadText standard_input = {};              // reads "-"
};

struct Discovery {
  std::vector<std::string> files;       // paths of .yaml, .yml and .json files, sorted
  std::vector<PassedOver> passed_over;  // what was left out, except hidden files and other suffixes
};

bool is_manifest(std::string_view path);

// Finds the manifests of a directory. Leaves out hidden files and folders, links to folders, and anything
// that is not a regular file. A dangling link is included: reading it reports the error. The directory itself
// is read even if it is hidden or ignored.
base::IoResult<Discovery> discover(const base::FileSystem& files, const std::string& directory,
                                   const DiscoverOptions& options);

struct FoundSources {
  std::vector<Source> sources;
  std::vector<std::string> directories;  // directories among the paths
  std::vector<PassedOver> passed_over;   // files that were not read
  std::vector<std::string> excluded;     // files of `passed_over` that are among the paths
};

// Reads files, the manifests of directories, and standard input ("-"). The sources are sorted by name, each
// file once, so that the order of the paths doesn't matter.
base::IoResult<FoundSources> read_sources(const base::FileSystem& files,
                                          const std::vector<std::string>& paths,
                                          const DiscoverOptions& options);

}  // namespace trainjobc::inputs
