// SPDX-License-Identifier: Apache-2.0

// Digests of the objects of each TrainJob, which say whether two compilations make the same of it.
#pragma once

#include <span>

#include "base/text/digest.h"
#include "compile/compile.h"
#include "compile/kept_jobs.h"

namespace trainjobc {

class JobContents {
 public:
  // Digests can be compared if they are the same digester's, which must outlive this.
  explicit JobContents(const base::Digester& digester);

  // Returns the sink of a group.
  auto sinks() { return digests_.sinks(); }

  // Sets CollectedJob::content.
  void add_to(Compilation& compiled);

 private:
  KeptJobs<base::Digest> digests_;
};

}  // namespace trainjobc
