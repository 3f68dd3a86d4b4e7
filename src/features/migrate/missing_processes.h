// SPDX-License-Identifier: Apache-2.0

// The number of torch processes per node: until Trainer 2.1 it is set by a runtime, or by a word in the
// TrainJob; later only by a number in the TrainJob.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "compile/compile.h"

namespace trainjobc::migrate {

// TrainJobs, by "TrainJob/namespace/name", and the number that each needs.
using ProcessNumbers = std::map<std::string, int64_t>;

// The numbers that make `after` have as many processes per node as `before`, for TrainJobs that set it in a
// way that no longer exists: themselves, or by one of the `setting` runtimes.
ProcessNumbers missing_processes(const Compilation& before, const Compilation& after,
                                 const std::set<std::string>& setting);

// The runtimes that rendered TrainJobs refer to: "TrainingRuntime/team-a/torch".
std::set<std::string> used_runtimes(const Compilation& compiled);

}  // namespace trainjobc::migrate
