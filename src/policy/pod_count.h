// SPDX-License-Identifier: Apache-2.0

// The number of pods that a TrainJob asks for.
#pragma once

#include "policy/runtime_info.h"

namespace trainjobc::policy {

// Sets the count to spec.trainer.numNodes if the job has it. `set` may be nullptr.
inline void take_num_nodes(const RuntimeInfo& info, PodSet* set) {
  if (!set || !info.job->trainer || !info.job->trainer->num_nodes) return;
  const model::LocatedInt& nodes = *info.job->trainer->num_nodes;
  set->count = {nodes.value, nodes.node};
}

}  // namespace trainjobc::policy
