// SPDX-License-Identifier: Apache-2.0

// What is kept of rendered objects to look them up in a cluster.
#pragma once

#include <mutex>
#include <span>
#include <vector>

#include "compile/compile.h"
#include "compile/kept_jobs.h"
#include "yaml/shared_values.h"

namespace trainjobc::cluster {

// Keeps the names and labels of the objects of each TrainJob, whether it has fields that Trainer guards, and
// of a JobSet its replicatedJobs with the Secrets that they mount: enough for fetch() and fetch_train_jobs(),
// and for what waits for the JobSets.
class Outlines {
 public:
  // Returns the sink of a group.
  auto sinks() { return jobs_.sinks(); }

  // The outlines, in the order of the compilation, after its own objects. They live as long as this. Can be
  // called only once.
  std::vector<Object> take(const Compilation& compiled);

 private:
  std::vector<Object> outline(std::span<const Object> objects);

  std::mutex mutex_;
  yaml::SharedValues values_;
  KeptJobs<std::vector<Object>> jobs_{[this](std::span<const Object> objects) { return outline(objects); }};
};

}  // namespace trainjobc::cluster
