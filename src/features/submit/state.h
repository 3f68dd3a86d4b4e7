// SPDX-License-Identifier: Apache-2.0

// The state of a live JobSet according to its status, and the reasons why it makes no progress.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yaml/node.h"

namespace trainjobc::submit {

using yaml::items_at;
using yaml::value_at;

// Fields that live objects of all kinds have.
int64_t number_at(const yaml::Node& root, std::string_view key, int64_t otherwise = 0);

enum class Phase {
  Pending,    // no controller has processed it
  Suspended,  // suspended by a queue, or by spec.suspend
  Running,
  Completed,
  Failed,
  Deleting,
};

// The state of a replicatedJob, in numbers of Jobs.
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
  int64_t pods = 0;             // the number that it should have
  bool suspend = false;         // spec.suspend
  std::string manager;          // spec.managedBy, if it isn't JobSet's controller
  std::string queue;            // Kueue's
  std::vector<JobsState> jobs;  // in the order of the spec
};

JobSetState state_of(const yaml::Node& job_set);

// "running"
std::string_view word_of(Phase phase);

// Describes the state: "running, created 2026-01-02T03:04:05Z"; without the time if the JobSet has none.
std::string describe(const JobSetState& state);

// Describes its Jobs: "launcher 1/1 ready, node 1/2 ready, 1 failed".
std::string describe_jobs(const JobSetState& state);

// Why a JobSet makes no progress, quoting its pods, its events and Kueue's Workload.
struct Reason {
  std::string brief;  // "unschedulable": short enough for a line of progress
  std::string text;   // the full text, for people
  // Equal for reasons of which only one should be shown: the text without numbers and without names of single
  // pods and Jobs.
  std::string key(std::string_view job_set) const;
};

// The reason if spec.suspend is true, or spec.managedBy names another controller than JobSet's.
std::optional<Reason> reason_of_job_set(const JobSetState& state);

// The state of a pod.
struct PodState {
  bool ready = false;
  bool succeeded = false;
  std::optional<Reason> reason;  // why it isn't ready
};

PodState state_of_pod(const yaml::Node& pod);

// Returns nullopt if the Workload is admitted.
std::optional<Reason> reason_of_workload(const yaml::Node& workload);

// The object that an event is about.
struct EventAbout {
  std::string_view kind;
  std::string_view name;
  std::string_view uid;
  std::string_view reason;
};

EventAbout about(const yaml::Node& event);

// When the event happened last, to the second: "2026-01-02T03:04:05".
std::string_view time_of(const yaml::Node& event);

// Whether an event with this reason means that the JobSet failed.
bool says_failure(std::string_view reason);

// Returns nullopt if the event is not about a problem.
std::optional<Reason> reason_of_event(const yaml::Node& event);

}  // namespace trainjobc::submit
