#include "tools/submit/state.h"

#include <fmt/format.h>

#include <charconv>
#include <span>
#include <string_view>

namespace trainjobc::submit {
namespace {

using yaml::Node;

std::string_view text_at(const Node& root, std::initializer_list<std::string_view> path) {
  const Node* value = root.at(path);
  return value && value->is_scalar() && !value->is_null() ? value->text() : std::string_view();
}

int64_t number_at(const Node& root, std::string_view key, int64_t otherwise = 0) {
  const std::string_view text = text_at(root, {key});
  int64_t number = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::span<const Node* const> items_at(const Node& root, std::initializer_list<std::string_view> path) {
  const Node* list = root.at(path);
  return list ? list->items() : std::span<const Node* const>();
}

// The condition of that type that holds; nullptr without one.
const Node* condition(const Node& job_set, std::string_view type) {
  for (const Node* entry : items_at(job_set, {"status", "conditions"})) {
    if (text_at(*entry, {"type"}) == type && text_at(*entry, {"status"}) == "True") return entry;
  }
  return nullptr;
}

std::vector<JobsState> jobs_of(const Node& job_set) {
  std::vector<JobsState> jobs;
  for (const Node* status : items_at(job_set, {"status", "replicatedJobsStatus"})) {
    JobsState state;
    state.name = text_at(*status, {"name"});
    state.ready = number_at(*status, "ready");
    state.active = number_at(*status, "active");
    state.succeeded = number_at(*status, "succeeded");
    state.failed = number_at(*status, "failed");
    for (const Node* job : items_at(job_set, {"spec", "replicatedJobs"})) {
      if (text_at(*job, {"name"}) == state.name) state.replicas = number_at(*job, "replicas", 1);
    }
    jobs.push_back(std::move(state));
  }
  return jobs;
}

}  // namespace

JobSetState state_of(const Node& job_set) {
  JobSetState state;
  state.since = text_at(job_set, {"metadata", "creationTimestamp"});
  const Node* status = job_set.get("status");
  state.restarts = status ? number_at(*status, "restarts") : 0;
  state.jobs = jobs_of(job_set);
  const Node* completed = condition(job_set, "Completed");
  const Node* failed = condition(job_set, "Failed");
  if (const Node* end = failed ? failed : completed) {
    state.phase = failed ? Phase::Failed : Phase::Completed;
    state.message = text_at(*end, {"message"});
  } else if (!text_at(job_set, {"metadata", "deletionTimestamp"}).empty()) {
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
  return fmt::format("{}, made {}", word_of(state.phase), state.since);
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
