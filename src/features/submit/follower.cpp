// SPDX-License-Identifier: Apache-2.0

#include "features/submit/follower.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "features/submit/event_fields.h"
#include "features/submit/steps.h"
#include "k8s/jobset/names.h"

namespace trainjobc::submit {
namespace {

using yaml::Node;

// How late an event may arrive.
constexpr std::chrono::seconds kLatestEvent{2};
// After this time, a controller that has ignored a JobSet is reported.
constexpr std::chrono::seconds kSlowController{20};

std::string clock_text(base::Clock::Time::duration time) {
  const auto count = std::chrono::duration_cast<std::chrono::seconds>(time).count();
  if (count < 3600) return fmt::format("{}:{:02}", count / 60, count % 60);
  return fmt::format("{}:{:02}:{:02}", count / 3600, count / 60 % 60, count % 60);
}

bool has_ended(Phase phase) {
  return phase == Phase::Completed || phase == Phase::Failed;
}

// What an event says about the end of a JobSet.
std::optional<End> end_of(std::string_view reason) {
  if (reason == "AllJobsCompleted") return End::Completed;
  return says_failure(reason) ? std::optional(End::Failed) : std::nullopt;
}

// Of this version of the event.
std::string id_of(const Node& event) {
  const EventAbout on = about(event);
  return fmt::format("{} {} {} {} {} {}", value_at(event, {"metadata", "uid"}),
                     value_at(event, {"metadata", "resourceVersion"}), time_of(event), on.name, on.reason,
                     value_at(event, {"message"}));
}

bool is_under_way(const JobSetState& state) {
  return !state.jobs.empty() && std::ranges::all_of(state.jobs, &JobsState::is_under_way);
}

}  // namespace

Follower::Follower(std::span<const Object* const> job_sets, Time begin) : begin_(begin) {
  for (const Object* job_set : job_sets) {
    Followed& followed = followed_.emplace_back();
    followed.object = job_set;
    followed.name = job_set->name;
    const std::string ns(job_set->ns);
    by_name_.emplace(Key{ns, followed.name}, &followed);
    for (const Node* jobs : items_at(*job_set->root, {"spec", "replicatedJobs"})) {
      const std::string_view name = value_at(*jobs, {"name"});
      for (int64_t i = 0; i < number_at(*jobs, "replicas", 1); ++i)
        by_job_.emplace(Key{ns, k8s::jobset::job_name(followed.name, name, i)}, &followed);
    }
  }
}

Follower::Followed* Follower::find(const std::string& ns, std::string_view name) {
  const auto found = by_name_.find({ns, std::string(name)});
  return found != by_name_.end() && !found->second->has_ended ? found->second : nullptr;
}

Follower::Followed* Follower::of_job(const std::string& ns, std::string_view job) {
  const auto found = by_job_.find({ns, std::string(job)});
  return found != by_job_.end() && !found->second->has_ended ? found->second : nullptr;
}

// "<job>-<index>-<random>", without the index if the Job isn't indexed.
Follower::Followed* Follower::of_pod(const std::string& ns, std::string_view pod) {
  for (int parts = 0; parts < 2; ++parts) {
    pod = pod.substr(0, std::min(pod.rfind('-'), pod.size()));
    if (Followed* followed = of_job(ns, pod)) return followed;
  }
  return nullptr;
}

Follower::Followed* Follower::of_workload(const std::string& ns, const Node& workload) {
  for (const Node* owner : items_at(workload, {"metadata", "ownerReferences"})) {
    if (value_at(*owner, {"kind"}) == "JobSet") return find(ns, value_at(*owner, {"name"}));
  }
  return nullptr;
}

void Follower::take(const std::string& ns, const Node& object, Time now) {
  const std::string_view kind = value_at(object, {"kind"});
  if (kind == "JobSet") {
    if (Followed* followed = find(ns, value_at(object, {"metadata", "name"})))
      take_job_set(*followed, object, now);
  } else if (kind == "Pod") {
    if (Followed* followed = of_pod(ns, value_at(object, {"metadata", "name"}))) {
      take_pod(*followed, object);
      say_progress(*followed, now);
    }
  } else if (kind == "Event") {
    take_event(ns, object);
  } else if (kind == "Workload") {
    if (Followed* followed = of_workload(ns, object)) {
      followed->workload = reason_of_workload(object);
      if (followed->workload) say(*followed, *followed->workload);
    }
  }
}

void Follower::take_missing(const std::string& ns, std::string_view name, Time now) {
  if (Followed* followed = find(ns, name)) lose(*followed, now);
}

void Follower::take_job_set(Followed& followed, const Node& job_set, Time now) {
  JobSetState state = state_of(job_set);
  // Another JobSet of that name: ours is gone.
  if (followed.is_seen && state.uid != followed.state.uid) return lose(followed, now);
  if (followed.gone) return;
  followed.is_seen = true;
  followed.state = std::move(state);
  if (has_ended(followed.state.phase)) {
    return end(followed, followed.state.phase == Phase::Completed ? End::Completed : End::Failed,
               followed.state.message);
  }
  if (is_under_way(followed.state)) followed.trouble.reset();
  if (const auto reason = reason_of_job_set(followed.state)) say(followed, *reason);
  say_progress(followed, now);
}

void Follower::take_pod(Followed& followed, const Node& pod) {
  const std::string name(value_at(pod, {"metadata", "name"}));
  // An unchanged pod keeps the reason that an event gave.
  const std::string_view version = value_at(pod, {"metadata", "resourceVersion"});
  std::string& known = followed.pod_versions[name];
  if (!version.empty() && known == version) return;
  known = version;
  PodState& state = followed.pods[name] = state_of_pod(pod);
  if (state.reason) say(followed, *state.reason);
  auto unheard = followed.unheard.extract(name);
  if (unheard.empty() || state.ready || state.succeeded) return;
  for (const Reason& reason : unheard.mapped()) say(followed, reason);
}

void Follower::take_event(const std::string& ns, const Node& event) {
  const EventAbout on = about(event);
  Followed* followed = on.kind == "JobSet" ? find(ns, on.name)
                       : on.kind == "Job"  ? of_job(ns, on.name)
                       : on.kind == "Pod"  ? of_pod(ns, on.name)
                                           : nullptr;
  if (!followed || !heard_.insert(id_of(event)).second) return;
  // Events outlive their objects: these belong to an earlier JobSet of that name.
  if (on.kind == "JobSet" && followed->is_seen && on.uid != followed->state.uid) return;
  if (time_of(event) < std::string_view(followed->state.since).substr(0, time_of(event).size())) return;
  if (on.kind == "JobSet") {
    if (const auto how = end_of(on.reason)) {
      followed->end_event = {followed->object, how, std::string(value_at(event, {"message"})), false};
      if (followed->gone) end(*followed, *how, followed->end_event->text);
      return;
    }
  }
  auto reason = reason_of_event(event);
  if (!reason) return;
  if (on.kind == "Pod") return take_pod_event(*followed, on, std::move(*reason));
  if (is_under_way(followed->state)) return;
  say(*followed, *reason);
  followed->trouble = std::move(reason);
}

// The API server keeps events for an hour; those of a pod that is ready by now no longer matter.
void Follower::take_pod_event(Followed& followed, const EventAbout& on, Reason reason) {
  if (!sees_pods_) return say(followed, reason);
  // The pod's own status says so, and when that ends.
  constexpr auto kInStatus = std::to_array<std::string_view>({"FailedScheduling", "Failed", "BackOff"});
  if (std::ranges::find(kInStatus, on.reason) != kInStatus.end()) return;
  const auto pod = followed.pods.find(on.name);
  if (pod == followed.pods.end()) {
    followed.unheard[std::string(on.name)].push_back(std::move(reason));
  } else if (!pod->second.ready && !pod->second.succeeded) {
    say(followed, reason);
    if (!pod->second.reason) pod->second.reason = std::move(reason);
  }
}

void Follower::keep_pods(const std::string& ns, const std::set<std::string, std::less<>>& names) {
  const auto is_gone = [&](const auto& pod) { return !names.contains(pod.first); };
  for (Followed& followed : followed_) {
    if (followed.object->ns != ns) continue;
    std::erase_if(followed.pods, is_gone);
    std::erase_if(followed.pod_versions, is_gone);
  }
}

void Follower::forget_workloads(const std::string& ns) {
  for (Followed& followed : followed_) {
    if (followed.object->ns == ns) followed.workload.reset();
  }
}

void Follower::took_events(const std::string& ns, Time asked) {
  for (Followed& followed : followed_) {
    const bool is_lost = followed.object->ns == ns && !followed.has_ended && followed.gone;
    if (is_lost && asked - *followed.gone >= kLatestEvent) end(followed, End::Deleted, "");
  }
}

void Follower::lose(Followed& followed, Time now) {
  if (followed.end_event) return end(followed, *followed.end_event->end, followed.end_event->text);
  if (!sees_events_) return end(followed, End::Deleted, "");
  if (!followed.gone) followed.gone = now;
}

void Follower::end(Followed& followed, End how, std::string text) {
  followed.has_ended = true;
  news_.push_back({followed.object, how, std::move(text), false});
}

void Follower::tick(Time now) {
  for (Followed& followed : followed_) {
    if (followed.has_ended) continue;
    if (followed.gone && !sees_events_) {
      end(followed, End::Deleted, "");
      continue;
    }
    const bool is_ignored = followed.is_seen && followed.state.phase == Phase::Pending &&
                            followed.state.manager.empty() && !followed.trouble;
    if (is_ignored && now - begin_ >= kSlowController) {
      say(followed, {"no controller has picked it up",
                     "no controller has picked it up yet: is JobSet's controller running?"});
    }
  }
}

void Follower::say(Followed& followed, const Reason& reason) {
  if (!followed.said.insert(reason.key(followed.name)).second) return;
  news_.push_back(
      {followed.object, std::nullopt, fmt::format("{}: {}", title_of(*followed.object), reason.text), false});
}

// Reports when the JobSet starts, runs all its pods, or starts again.
void Follower::say_progress(Followed& followed, Time now) {
  if (followed.state.phase != Phase::Running || followed.has_ended) return;
  const auto ready = std::ranges::count_if(followed.pods, [](const auto& pod) { return pod.second.ready; });
  const bool all_ready = ready > 0 && ready >= followed.state.pods;
  std::string milestone = fmt::format("{} {}", followed.state.restarts, all_ready);
  if (milestone == followed.milestone) return;
  // Pods that complete one after the other are not a step back.
  if (!all_ready && followed.milestone == fmt::format("{} true", followed.state.restarts)) return;
  followed.milestone = std::move(milestone);
  news_.push_back({followed.object, std::nullopt, line(followed, now), true});
}

std::vector<const Object*> Follower::pending() const {
  std::vector<const Object*> pending;
  for (const Followed& followed : followed_) {
    if (!followed.has_ended) pending.push_back(followed.object);
  }
  return pending;
}

bool Follower::waits_for_a_queue(const std::string& ns) const {
  return std::ranges::any_of(followed_, [&](const Followed& followed) {
    return followed.object->ns == ns && !followed.has_ended && (followed.state.suspend || followed.workload);
  });
}

std::vector<std::string> Follower::lines(Time now) const {
  std::vector<std::string> lines;
  for (const Followed& followed : followed_) {
    if (!followed.has_ended) lines.push_back(line(followed, now));
  }
  return lines;
}

std::string Follower::line(const Followed& followed, Time now) const {
  std::string text = fmt::format("{}  {}: {}", clock_text(now - begin_), title_of(*followed.object),
                                 word_of(followed.state.phase));
  if (!followed.pods.empty()) {
    const auto count = [&](auto member) {
      return std::ranges::count_if(followed.pods, [&](const auto& pod) { return pod.second.*member; });
    };
    text += fmt::format(", {}/{} pods ready", count(&PodState::ready), followed.state.pods);
    if (const auto succeeded = count(&PodState::succeeded)) text += fmt::format(", {} completed", succeeded);
  } else if (followed.state.phase == Phase::Running) {
    text += ", " + describe_jobs(followed.state);
  }
  const int64_t restarts = followed.state.restarts;
  if (restarts > 0) text += fmt::format(", {} restart{}", restarts, restarts == 1 ? "" : "s");
  const std::string why = brief(followed);
  return why.empty() ? text : text + "; " + why;
}

std::string Follower::brief(const Followed& followed) const {
  if (followed.gone) return "";
  if (followed.workload) return followed.workload->brief;
  if (followed.state.phase != Phase::Suspended || !followed.state.queue.empty()) {
    if (const auto reason = reason_of_job_set(followed.state)) return reason->brief;
  }
  for (const auto& [name, pod] : followed.pods) {
    if (pod.reason) return pod.reason->brief;
  }
  return followed.trouble ? followed.trouble->brief : "";
}

}  // namespace trainjobc::submit
