// Diagnostics as the results of a KRM function.
#pragma once

#include <string>

#include "base/diagnostic.h"
#include "tools/function/resource_list.h"
#include "yaml/node.h"

namespace trainjobc::function {

struct Results {
  const yaml::Node* list = nullptr;  // nullptr: none
  std::string errors;                // a line an error
  bool rejected = false;             // what render refuses
};

// Each with its message, severity, object, field, and the file that the object's annotations name. What only
// the Jobs would be refused for is a warning, as in render.
Results results_of(const base::Diagnostics& diagnostics, const ResourceList& list, const yaml::Maker& make);

// An error about the function itself.
const yaml::Node* one_result(const std::string& message, const yaml::Maker& make);

}  // namespace trainjobc::function
