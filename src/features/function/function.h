// SPDX-License-Identifier: Apache-2.0

// trainjobc as a KRM function: the TrainJobs and runtimes of a ResourceList become the objects that Trainer
// would create; everything else stays as it is.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compile/compile.h"

namespace trainjobc::function {

// The settings in functionConfig's data or spec.
struct Settings {
  Options compile;
  std::string ssh_key = "omit";  // like --ssh-key
  bool keep_inputs = false;      // kept inputs get the annotation config.kubernetes.io/local-config
};

struct Outcome {
  std::vector<std::string>
      list;            // the ResourceList, in parts; none if the input is not one, or can't be rewritten
  std::string errors;  // for stderr: one line per error
  bool rejected = false;
};

// Reads the key that `choice` names into the options; returns a message if that fails.
using ReadKey = std::function<std::string(const std::string& choice, policy::SshKeyOptions& key)>;

Outcome run(std::string resource_list, const ReadKey& read_key);

}  // namespace trainjobc::function
