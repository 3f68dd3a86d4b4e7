// SPDX-License-Identifier: Apache-2.0

// Which documents of the inputs had all rules checked.
#pragma once

#include <vector>

#include "compile/compile.h"
#include "compile/input/input.h"
#include "compile/jobs.h"

namespace trainjobc::compile {

// `jobs` are the results of the inputs' TrainJobs. `diagnostics` say which files could not be read to their
// end.
std::vector<CheckedDocument> checked_documents(const InputSet& inputs, const std::vector<JobResult>& jobs,
                                               const base::Diagnostics& diagnostics);

}  // namespace trainjobc::compile
