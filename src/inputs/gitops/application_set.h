// SPDX-License-Identifier: Apache-2.0

// ApplicationSets: the Applications that their list, git, matrix and merge generators make from the files of
// the repository. Source of the rules: applicationset/generators of Argo CD 3.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "inputs/gitops/objects.h"
#include "inputs/gitops/roots.h"

namespace trainjobc::gitops {

struct ExpandedSet {
  std::deque<Manifest> applications;
  std::vector<std::string> missing;    // why there may be more or different applications
  std::shared_ptr<const void> memory;  // keeps the applications' nodes
};

ExpandedSet expand_application_set(const Repository& repository, const Manifest& object);

}  // namespace trainjobc::gitops
