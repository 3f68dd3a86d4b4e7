// SPDX-License-Identifier: Apache-2.0

// What a v1 job becomes, before it is known what its TrainJob says and what a runtime says: a complete
// runtime.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "features/migrate/v1/findings.h"
#include "features/migrate/v1/job.h"
#include "yaml/node.h"

namespace trainjobc::migrate::v1 {

using NodeList = std::vector<const yaml::Node*>;
using Entries = std::vector<yaml::Entry>;

// A pod template without what the job or Trainer decides, and its container that trains, called "node".
struct PodTemplate {
  const yaml::Node* node = nullptr;
  size_t main = 0;
};

struct DraftRole {
  std::string name;     // of the replicatedJob
  bool trains = false;  // spec.trainer is about its container "node"
  PodTemplate pods;
  Entries job_spec;  // backoffLimit and what else the Job template's spec says
  const yaml::Node* depends_on = nullptr;
  int64_t replicas = 1;     // Jobs
  int64_t completions = 0;  // pods of a Job; 0: Trainer decides
};

struct Draft {
  std::string_view framework;  // of the runtime's label
  Entries policy;              // of mlPolicy, besides numNodes
  const yaml::Node* gang = nullptr;
  Entries job_set;  // of the JobSet's spec, besides replicatedJobs
  std::vector<DraftRole> roles;
  bool is_own = false;  // the runtime contains the job's name, and is for it alone
  // Of the TrainJob.
  const yaml::Node* num_nodes = nullptr;
  const yaml::Node* processes = nullptr;  // per node
  const yaml::Node* queue = nullptr;      // of Volcano
};

// One job on its way.
struct Conversion {
  const Job& job;
  const yaml::Maker& make;
  V1Findings& findings;
  std::string_view trainer;  // the version: "2.3"
  bool plain = false;        // write out what Trainer does not set up
  Draft draft = {};
};

// One for each kind: fills in the draft, or loses the job.
void draft_torch(Conversion& conversion);
void draft_xgboost(Conversion& conversion);
void draft_jax(Conversion& conversion);
void draft_mpi(Conversion& conversion);
void draft_tensorflow(Conversion& conversion);
void draft_paddle(Conversion& conversion);

// What spec.runPolicy says of the job as a whole: time to live, deadline, gang. After the roles.
void apply_run_policy(Conversion& conversion);

}  // namespace trainjobc::migrate::v1
