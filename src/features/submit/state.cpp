// SPDX-License-Identifier: Apache-2.0

#include "features/submit/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <iterator>

#include "base/text/text.h"
#include "features/objects/pods.h"
#include "k8s/jobset/jobset.h"
#include "model/trainer_names.h"

namespace trainjobc::submit {

using yaml::Node;

int64_t number_at(const Node& root, std::string_view key, int64_t otherwise) {
  const std::string_view text = value_at(root, {key});
  int64_t number = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

namespace {

constexpr std::string_view kOwnManager = "jobset.sigs.k8s.io/jobset-controller";

// The condition of that type, whatever its status; nullptr if there is none.
const Node* condition_of(const Node& object, std::string_view type) {
  for (const Node* entry : items_at(object, {"status", "conditions"})) {
    if (value_at(*entry, {"type"}) == type) return entry;
  }
  return nullptr;
}

// The status of the condition of that type: "True"; "" if there is none.
std::string_view status_of(const Node& object, std::string_view type) {
  const Node* condition = condition_of(object, type);
  return condition ? value_at(*condition, {"status"}) : std::string_view();
}

// The number of pods of all Jobs, each of which has as many as its parallelism.
int64_t pods_of(const Node& job_set) {
  int64_t pods = 0;
  for (const k8s::jobset::ReplicatedJob& job : k8s::jobset::view_job_set(job_set).jobs)
    pods += job.replicas * k8s::jobset::pods_per_job(job);
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
  const bool has_failed = status_of(job_set, "Failed") == "True";
  if (has_failed || status_of(job_set, "Completed") == "True") {
    const Node* end = condition_of(job_set, has_failed ? "Failed" : "Completed");
    state.phase = has_failed ? Phase::Failed : Phase::Completed;
    state.message = value_at(*end, {"message"});
  } else if (!value_at(job_set, {"metadata", "deletionTimestamp"}).empty()) {
    state.phase = Phase::Deleting;
  } else if (status_of(job_set, "Suspended") == "True") {
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

namespace {

struct Brief {
  std::string_view reason;  // of an event or a waiting container
  std::string_view brief;
};

// Reasons that are not listed are short enough as they are.
constexpr auto kBriefs = std::to_array<Brief>({
    {"JobCreationFailed", "Jobs are refused"},
    {"PVCCreationFailed", "claims are refused"},
    {"FailedCreate", "pods are refused"},
    {"FailedScheduling", "unschedulable"},
    {"Unschedulable", "unschedulable"},
    {"SchedulingGated", "held by a scheduling gate"},
    {"Pulling", "pulling images"},
    {"ErrImagePull", "images can't be pulled"},
    {"ImagePullBackOff", "images can't be pulled"},
    {"InvalidImageName", "images can't be pulled"},
    {"ErrImageNeverPull", "images can't be pulled"},
    {"CrashLoopBackOff", "crashes"},
    {"FailedMount", "volumes can't be mounted"},
    {"FailedAttachVolume", "volumes can't be mounted"},
});

std::string brief_of(std::string_view reason) {
  const auto found = std::ranges::find(kBriefs, reason, &Brief::reason);
  return std::string(found != kBriefs.end() ? found->brief : reason);
}

// Whether the kubelet is still preparing the containers.
bool is_on_the_way(std::string_view waiting) {
  return waiting == "ContainerCreating" || waiting == "PodInitializing";
}

std::string with_message(std::string_view reason, std::string_view message) {
  return message.empty() ? std::string(reason) : fmt::format("{}: {}", reason, message);
}

std::optional<Reason> reason_of_container(const Node& status, std::string_view pod) {
  const std::string_view container = value_at(status, {"name"});
  if (const Node* waiting = status.at({"state", "waiting"})) {
    const std::string_view reason = value_at(*waiting, {"reason"});
    if (reason.empty() || is_on_the_way(reason)) return std::nullopt;
    return Reason{brief_of(reason), fmt::format("container {} of pod {} is waiting: {}", container, pod,
                                                with_message(reason, value_at(*waiting, {"message"})))};
  }
  const Node* ended = status.at({"state", "terminated"});
  if (!ended || number_at(*ended, "exitCode") == 0) return std::nullopt;
  return Reason{"a container failed",
                fmt::format("container {} of pod {} failed: {}, exit status {}", container, pod,
                            with_message(value_at(*ended, {"reason"}), value_at(*ended, {"message"})),
                            number_at(*ended, "exitCode"))};
}

std::optional<Reason> reason_of_pod(const Node& pod) {
  const std::string_view name = value_at(pod, {"metadata", "name"});
  if (status_of(pod, "PodScheduled") == "False") {
    const Node* scheduled = condition_of(pod, "PodScheduled");
    const std::string_view reason = value_at(*scheduled, {"reason"});
    return Reason{brief_of(reason),
                  fmt::format("pod {} is {}: {}", name,
                              reason == "SchedulingGated" ? "held by a scheduling gate" : "unschedulable",
                              value_at(*scheduled, {"message"}))};
  }
  for (const std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
    for (const Node* status : items_at(pod, {"status", list})) {
      if (auto reason = reason_of_container(*status, name)) return reason;
    }
  }
  // The reason of a pod that was evicted, or refused by its node: no container has one.
  if (value_at(pod, {"status", "phase"}) != "Failed" || value_at(pod, {"status", "reason"}).empty())
    return std::nullopt;
  const std::string_view reason = value_at(pod, {"status", "reason"});
  return Reason{std::string(reason), fmt::format("pod {} failed: {}", name,
                                                 with_message(reason, value_at(pod, {"status", "message"})))};
}

// The quota's part of `Error creating: pods "demo-node-0-0-x7k2p" is forbidden: exceeded quota: q`.
std::string_view refusal_in(std::string_view message) {
  constexpr std::string_view kCreating = "Error creating: ";
  constexpr std::string_view kForbidden = " is forbidden: ";
  if (message.starts_with(kCreating)) message.remove_prefix(kCreating.size());
  const size_t at = message.find(kForbidden);
  return message.starts_with("pods \"") && at != std::string_view::npos
             ? message.substr(at + kForbidden.size())
             : message;
}

bool is_name_part(char c) {
  return base::is_alnum(c) || c == '-' || c == '.' || c == '_';
}

}  // namespace

std::string Reason::key(std::string_view job_set) const {
  std::string key = brief;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && is_name_part(text[end])) ++end;
    const std::string_view word = std::string_view(text).substr(at, end - at);
    const bool is_its_own = word.starts_with(job_set) && word.substr(job_set.size()).starts_with('-');
    std::ranges::copy_if(is_its_own ? "*" : word, std::back_inserter(key), std::not_fn(base::is_digit));
    if (end == at) key += text[end++];
    at = end;
  }
  return key;
}

std::optional<Reason> reason_of_job_set(const JobSetState& state) {
  if (!state.manager.empty()) {
    return Reason{
        fmt::format("left to {}", state.manager),
        fmt::format("its spec.managedBy leaves it to {}: JobSet's own controller ignores it", state.manager)};
  }
  if (!state.suspend) return std::nullopt;
  if (!state.queue.empty()) {
    return Reason{"waits for Kueue",
                  fmt::format("suspended until Kueue admits it from the queue {}", state.queue)};
  }
  return Reason{"suspended", "suspended: it can finish only after someone resumes it (spec.suspend: false)"};
}

PodState state_of_pod(const Node& pod) {
  PodState state;
  const std::string_view phase = value_at(pod, {"status", "phase"});
  state.succeeded = phase == "Succeeded";
  state.ready = phase == "Running" && status_of(pod, "Ready") == "True";
  if (!state.ready && !state.succeeded) state.reason = reason_of_pod(pod);
  return state;
}

std::optional<Reason> reason_of_workload(const Node& workload) {
  const auto is = [&](std::string_view type, std::string_view status) {
    return status_of(workload, type) == status;
  };
  const auto said = [&](std::string_view type) {
    return value_at(*condition_of(workload, type), {"message"});
  };
  constexpr std::string_view kBrief = "waits for Kueue";
  if (is("Admitted", "True") || is("Finished", "True")) return std::nullopt;
  if (is("QuotaReserved", "True")) {
    const bool has_words = is("Admitted", "False");
    return Reason{std::string(kBrief), fmt::format("waits for Kueue's admission checks{}{}",
                                                   has_words ? ": " : "", has_words ? said("Admitted") : "")};
  }
  if (is("QuotaReserved", "False"))
    return Reason{std::string(kBrief), fmt::format("waits for Kueue: {}", said("QuotaReserved"))};
  if (is("Evicted", "True"))
    return Reason{std::string(kBrief), fmt::format("Kueue evicted it: {}", said("Evicted"))};
  return std::nullopt;
}

EventAbout about(const Node& event) {
  return {value_at(event, {"involvedObject", "kind"}), value_at(event, {"involvedObject", "name"}),
          value_at(event, {"involvedObject", "uid"}), value_at(event, {"reason"})};
}

std::string_view time_of(const Node& event) {
  constexpr size_t kSeconds = std::string_view("2026-01-02T03:04:05").size();
  std::string_view last;
  for (const std::string_view time :
       {value_at(event, {"series", "lastObservedTime"}), value_at(event, {"lastTimestamp"}),
        value_at(event, {"eventTime"}), value_at(event, {"metadata", "creationTimestamp"})}) {
    last = std::max(last, time.substr(0, kSeconds));
  }
  return last;
}

bool says_failure(std::string_view reason) {
  constexpr auto kFailures =
      std::to_array<std::string_view>({"FailedJobs", "ReachedMaxRestarts", "FailJobSetFailurePolicyAction"});
  return base::contains(kFailures, reason);
}

std::optional<Reason> reason_of_event(const Node& event) {
  const EventAbout on = about(event);
  const std::string_view message = value_at(event, {"message"});
  if (on.reason == "Pulling") return Reason{brief_of(on.reason), std::string(message)};
  if (value_at(event, {"type"}) != "Warning") return std::nullopt;
  // The JobSet's last condition already has this reason.
  if (on.kind == "JobSet" && says_failure(on.reason)) return std::nullopt;
  const std::string brief = brief_of(on.reason);
  if (on.reason == "JobCreationFailed") return Reason{brief, fmt::format("Jobs are refused: {}", message)};
  if (on.reason == "PVCCreationFailed") return Reason{brief, fmt::format("claims are refused: {}", message)};
  if (on.reason == "FailedCreate" && on.kind == "Job")
    return Reason{brief, fmt::format("pods of Job {} are refused: {}", on.name, refusal_in(message))};
  if (on.reason == "FailedScheduling")
    return Reason{brief, fmt::format("pod {} is unschedulable: {}", on.name, message)};
  if (on.kind == "JobSet") return Reason{brief, with_message(on.reason, message)};
  return Reason{brief, fmt::format("{} {}: {}", on.kind, on.name, with_message(on.reason, message))};
}

}  // namespace trainjobc::submit
