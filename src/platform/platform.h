// SPDX-License-Identifier: Apache-2.0

// What a namespace puts in the way of a job, beside the API server and the controllers: all checks of one
// compilation.
#pragma once

#include <vector>

#include "base/diagnostic.h"
#include "platform/namespaces.h"
#include "platform/subject.h"
#include "yaml/node.h"

namespace trainjobc::platform {

// Threads may share it.
class Platform {
 public:
  // `objects`: those of the inputs that is_platform_object() names. They must outlive it.
  explicit Platform(const std::vector<const yaml::Node*>& objects);

  // What is wrong with the objects themselves, and with all checked jobs together.
  base::Diagnostics problems() const;
  // Appends what is said about a job and what becomes of it.
  void check(const CompiledJob& job, base::Diagnostics& found) const;

 private:
  Namespaces namespaces_;
};

// Whether the checks read such an object.
bool is_platform_object(const yaml::Node& root);

}  // namespace trainjobc::platform
