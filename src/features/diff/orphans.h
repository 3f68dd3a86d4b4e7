// SPDX-License-Identifier: Apache-2.0

// Live objects that the inputs don't render.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "features/diff/compare_objects.h"
#include "features/diff/live/live.h"

namespace trainjobc::diff {

// Numbers of TrainJobs, by namespace and name.
using JobNames = std::map<std::pair<std::string, std::string>, size_t>;

// Whether Trainer created `object`, judging by its owner, its manager, a JobSet's labels or a helper's name.
// `jobs` are the TrainJobs whose helper objects are recognised by name; snapshots of runtimes never are.
bool is_trainers(const LiveObject& object, const JobNames& jobs);

// Whether `name` is that of a Secret or ConfigMap that a plugin creates for the TrainJob.
bool is_helper_name(std::string_view kind, std::string_view name, std::string_view job);

// The index of the job in `jobs` that it belongs to; kNoJob if there is none.
size_t job_of(const LiveObject& object, const JobNames& jobs);

}  // namespace trainjobc::diff
