// SPDX-License-Identifier: Apache-2.0

#include "features/submit/state.h"

#include <fmt/format.h>

#include <algorithm>

#include "features/submit/event_fields.h"
#include "model/queue_names.h"

namespace trainjobc::submit {
namespace {

using yaml::Node;

constexpr std::string_view kOwnManager = "jobset.sigs.k8s.io/jobset-controller";

// The condition of that type that is true; nullptr if there is none.
const Node* condition(const Node& job_set, std::string_view type) {
  const Node* entry = condition_of(job_set, type);
  return entry && value_at(*entry, {"status"}) == "True" ? entry : nullptr;
}

// The pods of all its Jobs; each Job has as many as its parallelism.
int64_t pods_of(const Node& job_set) {
  int64_t pods = 0;
  for (const Node* job : items_at(job_set, {"spec", "replicatedJobs"})) {
    const Node* spec = job->at({"template", "spec"});
    const int64_t parallelism = spec ? number_at(*spec, "parallelism", 1) : 1;
    const int64_t completions = spec ? number_at(*spec, "completions", parallelism) : parallelism;
    pods += number_at(*job, "replicas", 1) * std::min(parallelism, completions);
  }
  return pods;
}

std::vector<JobsState> jobs_of(const Node& job_set) {
  std::vector<JobsState> jobs;
  for (const Node* status : items_at(job_set, {"status", "replicatedJobsStatus"})) {
    JobsState state;
    state.name = value_at(*status, {"name"});
    state.ready = number_at(*status, "ready");
    state.active = number_at(*status, "active");
    state.succeeded = number_at(*status, "succeeded");
    state.failed = number_at(*status, "failed");
    for (const Node* job : items_at(job_set, {"spec", "replicatedJobs"})) {
      if (value_at(*job, {"name"}) == state.name) state.replicas = number_at(*job, "replicas", 1);
    }
    jobs.push_back(std::move(state));
  }
  return jobs;
}

}  // namespace

JobSetState state_of(const Node& job_set) {
  JobSetState state;
  state.uid = value_at(job_set, {"metadata", "uid"});
  state.pods = pods_of(job_set);
  state.suspend = value_at(job_set, {"spec", "suspend"}) == "true";
  state.queue = value_at(job_set, {"metadata", "labels", model::kKueueLabel});
  state.manager = value_at(job_set, {"spec", "managedBy"});
  if (state.manager == kOwnManager) state.manager.clear();
  state.since = value_at(job_set, {"metadata", "creationTimestamp"});
  const Node* status = job_set.get("status");
  state.restarts = status ? number_at(*status, "restarts") : 0;
  state.jobs = jobs_of(job_set);
  const Node* completed = condition(job_set, "Completed");
  const Node* failed = condition(job_set, "Failed");
  if (const Node* end = failed ? failed : completed) {
    state.phase = failed ? Phase::Failed : Phase::Completed;
    state.message = value_at(*end, {"message"});
  } else if (!value_at(job_set, {"metadata", "deletionTimestamp"}).empty()) {
    state.phase = Phase::Deleting;
  } else if (condition(job_set, "Suspended")) {
    state.phase = Phase::Suspended;
  } else if (!state.jobs.empty()) {
    state.phase = Phase::Running;
  }
  return state;
}

std::string_view word_of(Phase phase) {
  switch (phase) {
    case Phase::Pending: return "not started";
    case Phase::Suspended: return "suspended";
    case Phase::Running: return "running";
    case Phase::Completed: return "completed";
    case Phase::Failed: return "failed";
    case Phase::Deleting: return "being deleted";
  }
  return "";
}

std::string describe(const JobSetState& state) {
  const std::string_view phase = word_of(state.phase);
  return state.since.empty() ? std::string(phase) : fmt::format("{}, created {}", phase, state.since);
}

std::string describe_jobs(const JobSetState& state) {
  std::string text;
  for (const JobsState& job : state.jobs) {
    text += fmt::format("{}{} {}/{} ready", text.empty() ? "" : ", ", job.name, job.ready, job.replicas);
    if (job.succeeded > 0) text += fmt::format(", {} succeeded", job.succeeded);
    if (job.failed > 0) text += fmt::format(", {} failed", job.failed);
  }
  return text;
}

}  // namespace trainjobc::submit
