// SPDX-License-Identifier: Apache-2.0

// What submit fetches from a cluster before it sends anything.
#pragma once

#include <set>
#include <span>
#include <string>

#include "compile/compile.h"
#include "features/cluster/live.h"
#include "features/kubectl/kubectl.h"

namespace trainjobc::submit {

struct Cluster {
  cluster::LiveSet live;  // all rendered objects except Secrets, and TrainJobs with the JobSets' names
  std::set<std::string> secrets;  // "Secret/namespace/name" of those that exist; their content is not fetched
};

// A failure if submit can't continue. A missing permission for Secrets or TrainJobs is not one: Secrets are
// then left to `kubectl create`, which does not replace existing ones.
cluster::Answer look_up(const kubectl::Kubectl& kubectl, std::span<const Object> objects, Cluster& cluster);

}  // namespace trainjobc::submit
