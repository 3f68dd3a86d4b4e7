// SPDX-License-Identifier: Apache-2.0

// The runtimes that a TrainJob can name, in the order of the lookup.
#pragma once

#include <string>
#include <vector>

#include "inputs/config.h"
#include "inputs/discover.h"
#include "inputs/groups.h"

namespace trainjobc::inputs {

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
  std::string trainer_version;                     // "": all
  const std::vector<InputGroup>* built = nullptr;  // kustomizations and charts, besides the paths
};

struct KnownRuntimes {
  std::vector<KnownRuntime> runtimes;
  std::vector<std::string> empty_directories;  // of the inputs: those without runtimes
};

// Those in the inputs, --runtimes, the inputs' configurations (without inputs, that of the working directory)
// and the catalogue; the first one of each kind, namespace and name in a scope. Sorted by name. Documents
// that can't be read are skipped.
base::IoResult<KnownRuntimes> known_runtimes(const base::FileSystem& files, Configurations& configurations,
                                             const RuntimeSearch& search);

}  // namespace trainjobc::inputs
