// SPDX-License-Identifier: Apache-2.0

// The runtimes that a TrainJob can refer to, in the order of the lookup.
#pragma once

#include <string>
#include <vector>

#include "inputs/config.h"
#include "inputs/discover.h"
#include "inputs/groups.h"

namespace trainjobc::inputs {

struct KnownRuntime {
  std::string scope;  // the scope of one in a file
  std::string name;
  std::string ns;  // "" for a ClusterTrainingRuntime
  std::string kind;
  std::string framework;              // from its label
  std::string place;                  // "platform/torch.yaml:3" if a file defines it
  std::vector<std::string> versions;  // the Trainer versions that ship it, if it is in the catalogue
  std::string text;                   // YAML, of the newest version
};

struct RuntimeSearch {
  std::vector<std::string> paths;
  std::vector<std::string> runtimes;
  DiscoverOptions how;
  std::string trainer_version;                     // "" for all versions
  const std::vector<InputGroup>* built = nullptr;  // kustomizations and charts, in addition to the paths
};

struct KnownRuntimes {
  std::vector<KnownRuntime> runtimes;
  std::vector<std::string> empty_directories;  // directories among the inputs that have no runtime
};

// Finds the runtimes of the inputs, --runtimes, the inputs' configurations (without inputs, that of the
// working directory) and the catalogue: the first one of each kind, namespace and name in a scope. Sorted by
// name. Documents that can't be read are skipped.
base::IoResult<KnownRuntimes> known_runtimes(const base::FileSystem& files, Configurations& configurations,
                                             const RuntimeSearch& search);

}  // namespace trainjobc::inputs
