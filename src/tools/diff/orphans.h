// Live objects that no input makes.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "tools/diff/compare_objects.h"
#include "tools/diff/live/live.h"

namespace trainjobc::diff {

// Numbers of TrainJobs, by namespace and name.
using JobNames = std::map<std::pair<std::string, std::string>, size_t>;

// Whether Trainer made `object`: its owner, its manager, a JobSet's labels or a helper's name say so. `jobs`
// are the TrainJobs whose helper objects are known by their names; a runtime's snapshot is never looked up.
bool is_trainers(const LiveObject& object, const JobNames& jobs);

// Whether `name` is that of a Secret or ConfigMap that a plugin makes for the TrainJob.
bool is_helper_name(std::string_view kind, std::string_view name, std::string_view job);

// The number of the one of `jobs` that it belongs to; kNoJob if there is none.
size_t job_of(const LiveObject& object, const JobNames& jobs);

}  // namespace trainjobc::diff
