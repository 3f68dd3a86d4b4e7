// SPDX-License-Identifier: Apache-2.0

// Diagnostics as the results of a KRM function.
#pragma once

#include <string>

#include "base/diagnostic.h"
#include "features/function/resource_list.h"
#include "yaml/node.h"

namespace trainjobc::function {

struct Results {
  const yaml::Node* list = nullptr;  // nullptr: none
  std::string errors;                // one line per error
  bool rejected = false;             // render would refuse the inputs
};

// Each with its message, severity, object, field, and the file from the object's annotations. Errors of the
// Jobs are warnings, as in render.
Results results_of(const base::Diagnostics& diagnostics, const ResourceList& list, const yaml::Maker& make);

// An error about the function itself.
const yaml::Node* one_result(const std::string& message, const yaml::Maker& make);

}  // namespace trainjobc::function
