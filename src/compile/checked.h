// Which documents of the inputs had every rule looked at.
#pragma once

#include <deque>
#include <vector>

#include "compile/compile.h"
#include "compile/input/input.h"
#include "compile/render_job.h"

namespace trainjobc::compile {

// `all` are the objects that were read, with those that Options::jobs left out; `units` are of the TrainJobs
// that are left in `inputs`, after their passes. `diagnostics` say which files could not be read to their
// end.
std::vector<CheckedDocument> checked_documents(const std::vector<InputObject>& all, const InputSet& inputs,
                                               const std::deque<JobUnit>& units,
                                               const base::Diagnostics& diagnostics);

}  // namespace trainjobc::compile
