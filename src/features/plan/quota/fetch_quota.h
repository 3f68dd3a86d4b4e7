// SPDX-License-Identifier: Apache-2.0

// What plan asks a cluster: the objects of Kueue.
#pragma once

#include <string>
#include <vector>

#include "compile/compile.h"
#include "features/kubectl/kubectl.h"

namespace trainjobc::plan {

struct FetchedQuota {
  std::vector<Source> sources;
  kubectl::Failure failure;  // cause None if the queues and flavors came
  std::string warnings;      // what could not be looked up
};

// Namespaces, Cohorts and Topologies may be missing, or forbidden: a warning says so.
FetchedQuota fetch_quota(const kubectl::Kubectl& kubectl);

}  // namespace trainjobc::plan
