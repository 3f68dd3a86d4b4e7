// SPDX-License-Identifier: Apache-2.0

// Which findings a change of files can affect.
#pragma once

#include <vector>

#include "inputs/groups.h"
#include "lint/lint.h"

namespace trainjobc::lint {

// An earlier state of the inputs, and what lint finds in it.
struct EarlierState {
  std::vector<inputs::InputGroup> groups;
  Findings findings;
};

struct Affected {
  size_t objects = 0;  // that are left
  size_t of = 0;       // all objects
};

// Leaves the findings on what differs from the earlier state, and on what that can affect, with their objects
// and files. A document differs if its scope had none with the same text and the same settings: one that was
// moved does not. It affects its objects, and if it is a runtime, all TrainJobs of the scope that name it. A
// finding that the earlier state does not have is left, wherever it is.
Affected narrow_to_changes(Findings& findings, const std::vector<inputs::InputGroup>& groups,
                           const EarlierState& earlier);

}  // namespace trainjobc::lint
