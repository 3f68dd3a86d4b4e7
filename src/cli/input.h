// SPDX-License-Identifier: Apache-2.0

// The files named on the command line, and the manifests of a directory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/console.h"
#include "compile/compile.h"
#include "inputs/config.h"

namespace trainjobc::inputs {
struct InputGroup;
}

namespace trainjobc::cli {

// How directories are read.
struct DiscoverOptions {
  bool recurse = true;
  bool git_ignores = true;  // leave out what .gitignore and .git/info/exclude exclude
  inputs::Configurations* configurations = nullptr;  // whose `exclude` applies; nullptr: none
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

struct Loaded {
  std::vector<Source> sources;
  std::vector<std::string> directories;  // among the paths
  std::vector<PassedOver> passed_over;   // files that were not read
  std::vector<std::string> excluded;     // of these, the ones named on the command line
  std::vector<Source> patches;           // of kustomizations among the files; they are not whole objects
  std::vector<std::string> roots;        // flags that build what was found and not built: "-k overlays/prod"
};

// Reads files, the manifests of directories, and standard input ("-"). The sources are sorted by name, each
// file once, so that the order of the arguments doesn't matter.
base::IoResult<Loaded> load_sources(Console& console, const std::vector<std::string>& paths,
                                    const DiscoverOptions& options);

// The runtimes that a TrainJob can name, in the order of the lookup.

struct KnownRuntime {
  std::string scope;  // of one in a file
  std::string name;
  std::string ns;  // "" for a ClusterTrainingRuntime
  std::string kind;
  std::string framework;              // its label
  std::string place;                  // "platform/torch.yaml:3" of one in a file
  std::vector<std::string> versions;  // of Trainer, for one in the catalogue
  std::string text;                   // YAML; of the newest version
};

struct RuntimeSearch {
  std::vector<std::string> paths;
  std::vector<std::string> runtimes;
  DiscoverOptions how;
  std::string trainer_version;                             // "": all
  const std::vector<inputs::InputGroup>* built = nullptr;  // kustomizations and charts, besides the paths
};

struct KnownRuntimes {
  std::vector<KnownRuntime> runtimes;
  std::vector<std::string> empty_directories;  // of the inputs: those without runtimes
};

// Those in the inputs, --runtimes, the inputs' configurations (without inputs, that of the working directory)
// and the catalogue; the first one of each kind, namespace and name in a scope. Sorted by name. Documents
// that can't be read are skipped.
base::IoResult<KnownRuntimes> known_runtimes(Console& console, inputs::Configurations& configurations,
                                             const RuntimeSearch& search);

}  // namespace trainjobc::cli
