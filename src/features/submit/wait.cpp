// SPDX-License-Identifier: Apache-2.0

#include "features/submit/wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/text/text.h"
#include "features/cluster/live.h"
#include "features/submit/send.h"
#include "k8s/jobset/jobset.h"

namespace trainjobc::submit {
namespace {

using yaml::Node;

// The longest delay with which an event may arrive.
constexpr std::chrono::seconds kLatestEvent{2};
// If a controller ignores a JobSet for longer, that is reported.
constexpr std::chrono::seconds kSlowController{20};

std::string clock_text(base::Clock::Time::duration time) {
  const auto count = std::chrono::duration_cast<std::chrono::seconds>(time).count();
  if (count < 3600) return fmt::format("{}:{:02}", count / 60, count % 60);
  return fmt::format("{}:{:02}:{:02}", count / 3600, count / 60 % 60, count % 60);
}

bool has_ended(Phase phase) {
  return phase == Phase::Completed || phase == Phase::Failed;
}

// How a JobSet ended, according to an event with this reason.
std::optional<End> end_of(std::string_view reason) {
  if (reason == "AllJobsCompleted") return End::Completed;
  return says_failure(reason) ? std::optional(End::Failed) : std::nullopt;
}

// Identifies one revision of an event (uid and resourceVersion).
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

Follower::Follower(std::span<const Object* const> job_sets, Time begin, bool are_awaited)
    : begin_(begin), are_awaited_(are_awaited) {
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
  Followed* found = base::value_or(by_name_, Key{ns, std::string(name)});
  return found && !found->has_ended ? found : nullptr;
}

Follower::Followed* Follower::of_job(const std::string& ns, std::string_view job) {
  Followed* found = base::value_or(by_job_, Key{ns, std::string(job)});
  return found && !found->has_ended ? found : nullptr;
}

// The JobSet of a pod named "<job>-<index>-<random>", without the index if the Job isn't indexed.
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
  Followed* followed = find(ns, name);
  if (followed && (followed->is_seen || !are_awaited_)) lose(*followed, now);
}

void Follower::take_job_set(Followed& followed, const Node& job_set, Time now) {
  JobSetState state = state_of(job_set);
  // Another JobSet has the name now: ours is gone.
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
  // A pod that hasn't changed keeps the reason that an event gave.
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
  // Events outlive their objects: this one is about an earlier JobSet with the name.
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

// The API server keeps events for an hour; those about a pod that is ready by now no longer matter.
void Follower::take_pod_event(Followed& followed, const EventAbout& on, Reason reason) {
  if (!sees_pods_) return say(followed, reason);
  // The pod's own status also reports these, and shows when they end.
  constexpr auto kInStatus = std::to_array<std::string_view>({"FailedScheduling", "Failed", "BackOff"});
  if (base::contains(kInStatus, on.reason)) return;
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
    if (are_awaited_ && !followed.is_seen && now - begin_ >= kSlowController) {
      say(followed,
          {"Trainer has not created it", "Trainer has not created it yet: is its controller running?"});
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

// Reports when the JobSet starts, runs all its pods, or restarts.
void Follower::say_progress(Followed& followed, Time now) {
  if (followed.state.phase != Phase::Running || followed.has_ended) return;
  const auto ready = std::ranges::count_if(followed.pods, [](const auto& pod) { return pod.second.ready; });
  const bool all_ready = ready > 0 && ready >= followed.state.pods;
  std::string milestone = fmt::format("{} {}", followed.state.restarts, all_ready);
  if (milestone == followed.milestone) return;
  // If pods complete one after the other, that is not a step back.
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
    // Count the Jobs until pods are seen, or if they never are.
    const bool has_ready =
        std::ranges::any_of(followed.state.jobs, [](const JobsState& job) { return job.ready > 0; });
    text += has_ready ? ", Jobs: " + describe_jobs(followed.state)
                      : fmt::format(", 0/{} pods ready", followed.state.pods);
  }
  const int64_t restarts = followed.state.restarts;
  if (restarts > 0) text += ", " + base::counted(restarts, "restart");
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

namespace {

using base::Clock;
using kubectl::Call;
using kubectl::Cause;
using kubectl::Failure;
using kubectl::Kubectl;
using std::chrono::milliseconds;
using std::chrono::seconds;

// A restarting API server is unavailable for a while.
constexpr int kMaxFailedPolls = 5;  // in a row
constexpr seconds kTick{1};
// The minimum time for a call, even if --timeout ends sooner.
constexpr seconds kShortestCall{5};

// A kind that is polled besides JobSets.
struct Polled {
  std::string_view kind;
  std::string_view resource;
  std::string_view words;

  bool operator==(const Polled&) const = default;
};

constexpr Polled kPods{"Pod", "pods", "pods"};
constexpr Polled kEvents{"Event", "events", "events"};
constexpr Polled kWorkloads{"Workload", "workloads.kueue.x-k8s.io", "Workloads of Kueue"};

struct Namespace {
  std::string name;
  std::set<std::string_view> hidden;  // kinds that the user may not list, or that the cluster does not know
  int failed_events = 0;              // consecutive requests
};

class Waiter {
 public:
  Waiter(const Kubectl& kubectl, const WaitOptions& options, Clock& clock, const Listener& listener,
         std::span<const Object* const> job_sets)
      : kubectl_(kubectl),
        options_(options),
        clock_(clock),
        listener_(listener),
        sleeper_(clock.make_sleeper()),
        begin_(clock.now()),
        follower_(job_sets, begin_, options.are_awaited) {
    std::set<std::string> namespaces;
    for (const Object* job_set : job_sets) namespaces.emplace(job_set->ns);
    for (const std::string& ns : namespaces) namespaces_.push_back({ns, {}, 0});
  }

  // The last poll also reports what happened shortly before the timeout.
  WaitResult run() {
    for (bool is_last = false;; is_last = is_over()) {
      poll();
      tell();
      if (follower_.is_done() || is_last || failed_ >= kMaxFailedPolls || pause()) break;
    }
    result_.pending = follower_.pending();
    return std::move(result_);
  }

 private:
  bool is_over() const { return options_.timeout.count() > 0 && clock_.now() - begin_ >= options_.timeout; }

  // Returns whether a signal asks this process to end.
  bool sleep(milliseconds time) {
    if (result_.signal == 0) result_.signal = sleeper_->sleep(time);
    return result_.signal != 0;
  }

  // The longer the wait, the less urgent is an answer.
  milliseconds interval() const {
    const auto grown = std::chrono::duration_cast<milliseconds>(clock_.now() - begin_) / 20;
    return std::clamp<milliseconds>(grown, options_.interval, options_.longest_interval);
  }

  // Sleeps until the next poll; returns whether a signal asks this process to end.
  bool pause() {
    Clock::Time until = clock_.now() + interval();
    if (options_.timeout.count() > 0) until = std::min<Clock::Time>(until, begin_ + options_.timeout);
    for (;;) {
      const auto left = std::chrono::ceil<milliseconds>(until - clock_.now());
      if (sleep(std::clamp<milliseconds>(left, milliseconds(0), kTick))) return true;
      if (left <= kTick) return false;
      follower_.tick(clock_.now());
      tell();
    }
  }

  void poll() {
    for (Namespace& ns : namespaces_) {
      if (names_in(ns.name).empty()) continue;
      if (sleep(milliseconds(0)) || !poll_job_sets(ns.name)) return;
      for (const Polled& what : {kPods, kEvents, kWorkloads}) {
        if (names_in(ns.name).empty() || sleep(milliseconds(0))) break;
        if (!ns.hidden.contains(what.kind)) poll(ns, what);
      }
    }
    follower_.tick(clock_.now());
  }

  // The time that is left until the timeout.
  milliseconds longest_call() const {
    if (options_.timeout.count() == 0) return milliseconds(0);
    const auto left = std::chrono::ceil<milliseconds>(begin_ + options_.timeout - clock_.now());
    return std::max<milliseconds>(left, kShortestCall);
  }

  std::set<std::string> names_in(const std::string& ns) const {
    std::set<std::string> names;
    for (const Object* job_set : follower_.pending()) {
      if (job_set->ns == ns) names.emplace(job_set->name);
    }
    return names;
  }

  // Gets the JobSets by name, which needs no permission to list them.
  bool poll_job_sets(const std::string& ns) {
    const std::set<std::string> names = names_in(ns);
    const auto pending = follower_.pending();
    const auto one = std::ranges::find(pending, ns, &Object::ns);
    Call call = kubectl::get_by_name(ns, (*one)->api_version, "JobSet", names, "json");
    call.timeout = longest_call();
    cluster::LiveSet live;
    cluster::Answer answer = cluster::ask(kubectl_, call, live);
    if (!answer.ok()) {
      result_.failure = std::move(answer.failure);
      ++failed_;
      return false;
    }
    result_.failure = {};
    failed_ = 0;
    for (const std::string& name : names) {
      if (const auto* found = base::find(live.objects, name, &cluster::LiveObject::name)) {
        follower_.take(ns, *found->root, clock_.now());
      } else {
        follower_.take_missing(ns, name, clock_.now());
      }
    }
    return true;
  }

  void poll(Namespace& ns, const Polled& what) {
    if (what == kWorkloads && !follower_.waits_for_a_queue(ns.name)) return;
    Call call{ns.name, {"get", std::string(what.resource), "-o", "json"}};
    if (what == kPods) call.words.push_back(pods_selector(ns.name));
    call.timeout = longest_call();
    const Clock::Time asked = clock_.now();
    cluster::LiveSet live;
    const cluster::Answer answer = cluster::ask(kubectl_, call, live, std::span(&what.kind, 1));
    if (!answer.ok()) return failed(ns, what, answer.failure);
    if (what == kWorkloads) follower_.forget_workloads(ns.name);
    if (what == kPods) {
      std::set<std::string, std::less<>> names;
      for (const cluster::LiveObject& pod : live.objects) names.insert(pod.name);
      follower_.keep_pods(ns.name, names);
    }
    for (const cluster::LiveObject& object : live.objects)
      follower_.take(ns.name, *object.root, clock_.now());
    if (what != kEvents) return;
    ns.failed_events = 0;
    follower_.took_events(ns.name, asked);
  }

  std::string pods_selector(const std::string& ns) const {
    const auto names = names_in(ns);
    return fmt::format("--selector={}{}", k8s::jobset::kJobSetNameLabel,
                       names.size() == 1 ? "=" + *names.begin() : "");
  }

  // Other failures may pass, but a deleted JobSet must not wait for its events forever.
  void failed(Namespace& ns, const Polled& what, const Failure& failure) {
    const bool is_refused = failure.cause == Cause::Forbidden || failure.cause == Cause::NoKind;
    const bool is_given_up = what == kEvents && ++ns.failed_events >= kMaxFailedPolls;
    if ((!is_refused && !is_given_up) || sleep(milliseconds(0))) return;
    ns.hidden.insert(what.kind);
    if (what == kWorkloads && failure.cause == Cause::NoKind) return;
    if (what == kPods) follower_.hide_pods();
    if (what == kEvents) follower_.hide_events();
    listener_.note(note_of(ns, what, failure));
  }

  static std::string note_of(const Namespace& ns, const Polled& what, const Failure& failure) {
    const std::string where = ns.name.empty() ? "" : fmt::format(" of namespace {}", ns.name);
    if (failure.cause == Cause::Forbidden || failure.cause == Cause::NoKind) {
      return fmt::format("you are not allowed to list the {}{}: what they report is not shown{}", what.words,
                         where, failure.cause == Cause::Forbidden ? "" : " (the cluster does not know them)");
    }
    return fmt::format("the {}{} can't be listed: what they report is not shown\n{}", what.words, where,
                       describe(failure));
  }

  void tell() {
    for (const News& news : follower_.news()) {
      if (news.end) ++(*news.end == End::Completed ? result_.completed : result_.unsuccessful);
      listener_.news(news);
    }
    listener_.progress(follower_.lines(clock_.now()));
  }

  const Kubectl& kubectl_;
  const WaitOptions& options_;
  Clock& clock_;
  const Listener& listener_;
  std::unique_ptr<base::Sleeper> sleeper_;
  Clock::Time begin_;
  Follower follower_;
  std::vector<Namespace> namespaces_;
  int failed_ = 0;  // consecutive failed polls of the JobSets
  WaitResult result_;
};

}  // namespace

void wait_for(std::span<const Object* const> job_sets, const Kubectl& kubectl, const WaitOptions& options,
              Clock& clock, const Listener& listener, const std::function<void(const WaitResult&)>& end) {
  Waiter waiter(kubectl, options, clock, listener, job_sets);
  end(waiter.run());
}

}  // namespace trainjobc::submit
