// How many torch processes a node has: until Trainer 2.1 a runtime says it, or a word in the TrainJob; later
// only a number in the TrainJob.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "compile/compile.h"

namespace trainjobc::migrate {

// TrainJobs, by "TrainJob/namespace/name", and the number that each needs.
using ProcessNumbers = std::map<std::string, int64_t>;

// The numbers that make `after` have as many processes per node as `before`, for TrainJobs that said so in a
// way which is gone: themselves, or by one of the `telling` runtimes.
ProcessNumbers missing_processes(const Compilation& before, const Compilation& after,
                                 const std::set<std::string>& telling);

// The runtimes that rendered TrainJobs refer to: "TrainingRuntime/team-a/torch".
std::set<std::string> used_runtimes(const Compilation& compiled);

}  // namespace trainjobc::migrate
