// Why a JobSet doesn't get on, in the words of those who hold it up: its pods, events and Kueue's Workload.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tools/submit/state.h"
#include "yaml/node.h"

namespace trainjobc::submit {

struct Reason {
  std::string brief;  // "unschedulable": what a line of progress has room for
  std::string text;   // for people, in full
  // Equal for reasons of which one is enough: the text without numbers and the names of single pods and Jobs.
  std::string key(std::string_view job_set) const;
};

// spec.suspend, and a spec.managedBy that is not JobSet's own.
std::optional<Reason> reason_of_job_set(const JobSetState& state);

// What of a pod matters.
struct PodState {
  bool ready = false;
  bool succeeded = false;
  std::optional<Reason> reason;  // why it isn't ready
};

PodState state_of_pod(const yaml::Node& pod);

// nullopt if the Workload is admitted.
std::optional<Reason> reason_of_workload(const yaml::Node& workload);

// What an event is about.
struct EventAbout {
  std::string_view kind;
  std::string_view name;
  std::string_view uid;
  std::string_view reason;
};

EventAbout about(const yaml::Node& event);

// When it happened last, to the second: "2026-01-02T03:04:05".
std::string_view time_of(const yaml::Node& event);

// Whether an event of a JobSet with this reason says that it failed.
bool says_failure(std::string_view reason);

// nullopt if the event holds nothing up.
std::optional<Reason> reason_of_event(const yaml::Node& event);

}  // namespace trainjobc::submit
