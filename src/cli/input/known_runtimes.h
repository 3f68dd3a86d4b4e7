// SPDX-License-Identifier: Apache-2.0

// The runtimes that a TrainJob can name, in the order of the lookup.
#pragma once

#include <string>
#include <vector>

#include "cli/input/discover.h"
#include "cli/output/console.h"
#include "lint/config.h"

namespace trainjobc::cli {

struct KnownRuntime {
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
  std::string trainer_version;  // "": all
};

struct KnownRuntimes {
  std::vector<KnownRuntime> runtimes;
  std::vector<std::string> empty_directories;  // of the inputs: those without runtimes
};

// Those in the inputs, --runtimes, the inputs' configurations (without inputs, that of the working directory)
// and the catalogue; the first one of each kind, namespace and name. Sorted by name. Documents that can't be
// read are skipped.
base::IoResult<KnownRuntimes> known_runtimes(Console& console, lint::Configurations& configurations,
                                             const RuntimeSearch& search);

}  // namespace trainjobc::cli
