// SPDX-License-Identifier: Apache-2.0

// What a change costs: the resources that its JobSets request more, or less, than before.
#pragma once

#include <string>
#include <vector>

#include "features/cluster/compare.h"
#include "features/cluster/pods.h"

namespace trainjobc::diff {

struct Cost {
  std::string ns;  // "default" if the inputs name none
  int64_t pods = 0;
  cluster::Amounts requests;  // those that change; a saving is negative
};

// By namespace; empty if the differences change no request.
std::vector<Cost> costs_of(const cluster::Report& report);

// "+32 nvidia.com/gpu, +512Gi memory in team-a"
std::string cost_text(const Cost& cost);

}  // namespace trainjobc::diff
