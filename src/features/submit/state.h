// SPDX-License-Identifier: Apache-2.0

// The state of a live JobSet according to its status.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yaml/node.h"

namespace trainjobc::submit {

enum class Phase {
  Pending,    // no controller has processed it
  Suspended,  // suspended by a queue, or by spec.suspend
  Running,
  Completed,
  Failed,
  Deleting,
};

// One replicatedJob; numbers of Jobs.
struct JobsState {
  std::string name;
  int64_t replicas = 0;
  int64_t ready = 0;
  int64_t active = 0;
  int64_t succeeded = 0;
  int64_t failed = 0;

  // Whether all Jobs exist and none waits for its pods.
  bool is_under_way() const { return ready + succeeded >= replicas; }
};

struct JobSetState {
  Phase phase = Phase::Pending;
  std::string uid;
  std::string since;    // metadata.creationTimestamp
  std::string message;  // of the condition that ended it
  int64_t restarts = 0;
  int64_t pods = 0;             // that it should have
  bool suspend = false;         // spec.suspend
  std::string manager;          // spec.managedBy, if it isn't JobSet's controller
  std::string queue;            // of Kueue
  std::vector<JobsState> jobs;  // in the order of the spec
};

JobSetState state_of(const yaml::Node& job_set);

// "running"
std::string_view word_of(Phase phase);

// "running, created 2026-01-02T03:04:05Z"; without the time if the JobSet says none.
std::string describe(const JobSetState& state);

// "launcher 1/1 ready, node 1/2 ready, 1 failed"
std::string describe_jobs(const JobSetState& state);

}  // namespace trainjobc::submit
