// SPDX-License-Identifier: Apache-2.0

// Finds out which findings a change of files can affect.
#pragma once

#include <vector>

#include "inputs/groups.h"
#include "lint/lint.h"

namespace trainjobc::lint {

// An earlier state of the inputs, and lint's findings on it.
struct EarlierState {
  std::vector<inputs::InputGroup> groups;
  Findings findings;
};

struct Affected {
  size_t objects = 0;  // number of affected objects
  size_t of = 0;       // number of all objects
};

// Keeps only the findings that the difference from the earlier state can affect, with their objects and
// files. A document differs if its scope had none with the same text and settings: one that was moved does
// not. It affects its objects and, if it is a runtime, all TrainJobs of the scope that refer to it. A finding
// that the earlier state does not have is kept, wherever it is.
Affected narrow_to_changes(Findings& findings, const std::vector<inputs::InputGroup>& groups,
                           const EarlierState& earlier);

// Removes the findings that the earlier state has, too.
void leave_new(Findings& findings, const EarlierState& earlier);

}  // namespace trainjobc::lint
