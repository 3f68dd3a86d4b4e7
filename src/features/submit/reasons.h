// SPDX-License-Identifier: Apache-2.0

// Why a JobSet makes no progress, in the words of its pods, its events and Kueue's Workload.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "features/submit/state.h"
#include "yaml/node.h"

namespace trainjobc::submit {

struct Reason {
  std::string brief;  // "unschedulable": short enough for a line of progress
  std::string text;   // the full text for people
  // Equal for reasons of which only one is shown: the text without numbers and the names of single pods and
  // Jobs.
  std::string key(std::string_view job_set) const;
};

// spec.suspend, and a spec.managedBy that is not JobSet's own.
std::optional<Reason> reason_of_job_set(const JobSetState& state);

// The state of a pod.
struct PodState {
  bool ready = false;
  bool succeeded = false;
  std::optional<Reason> reason;  // why it isn't ready
};

PodState state_of_pod(const yaml::Node& pod);

// nullopt if the Workload is admitted.
std::optional<Reason> reason_of_workload(const yaml::Node& workload);

// The object of an event.
struct EventAbout {
  std::string_view kind;
  std::string_view name;
  std::string_view uid;
  std::string_view reason;
};

EventAbout about(const yaml::Node& event);

// When it happened last, to the second: "2026-01-02T03:04:05".
std::string_view time_of(const yaml::Node& event);

// Whether an event with this reason means that the JobSet failed.
bool says_failure(std::string_view reason);

// nullopt if the event is not about a problem.
std::optional<Reason> reason_of_event(const yaml::Node& event);

}  // namespace trainjobc::submit
