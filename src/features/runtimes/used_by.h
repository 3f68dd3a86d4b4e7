// SPDX-License-Identifier: Apache-2.0

// Which jobs use which runtime.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compile/input/input.h"

namespace trainjobc::runtimes {

struct RuntimeUser {
  std::string ns;  // "default" if it names none
  std::string name;
  std::string place;  // "jobs/llama.yaml:1"
};

struct RuntimeUse {
  std::string kind;
  std::string ns;  // of a TrainingRuntime, which its jobs share
  std::string name;
  std::vector<RuntimeUser> jobs;
};

// By what the jobs' runtimeRef says, whether there is such a runtime or not; jobs in the order of the inputs.
// Sorted by name, kind and namespace.
std::vector<RuntimeUse> uses_of(const std::vector<compile::InputObject>& objects);

}  // namespace trainjobc::runtimes
