// SPDX-License-Identifier: Apache-2.0

#include "features/submit/wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "base/diagnostic.h"
#include "features/cluster/live.h"
#include "k8s/jobset/construct.h"

namespace trainjobc::submit {
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
// The time that a call has at least, however soon --timeout is over.
constexpr seconds kShortestCall{5};

enum class What { Pods, Events, Workloads };

std::string_view resource_of(What what) {
  switch (what) {
    case What::Pods: return "pods";
    case What::Events: return "events";
    case What::Workloads: return "workloads.kueue.x-k8s.io";
  }
  return "";
}

std::string_view words_of(What what) {
  return what == What::Workloads ? "Workloads of Kueue" : resource_of(what);
}

// What is polled in one namespace besides the JobSets.
struct Namespace {
  std::string name;
  std::set<What> hidden;  // that the user may not list, or that the cluster does not know
  int failed_events = 0;  // requests in a row
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
        follower_(job_sets, begin_) {
    std::set<std::string> namespaces;
    for (const Object* job_set : job_sets) namespaces.emplace(job_set->ns);
    for (const std::string& ns : namespaces) namespaces_.push_back({ns, {}, 0});
  }

  // A last poll tells of what happened shortly before the timeout.
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

  // Whether a signal asks this process to end.
  bool sleep(milliseconds time) {
    if (result_.signal == 0) result_.signal = sleeper_->sleep(time);
    return result_.signal != 0;
  }

  // Long waits need no quick answers.
  milliseconds interval() const {
    const auto grown = std::chrono::duration_cast<milliseconds>(clock_.now() - begin_) / 20;
    return std::clamp<milliseconds>(grown, options_.interval, options_.longest_interval);
  }

  // Until the next poll; whether a signal asks this process to end.
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
      for (const What what : {What::Pods, What::Events, What::Workloads}) {
        if (names_in(ns.name).empty() || sleep(milliseconds(0))) break;
        if (!ns.hidden.contains(what)) poll(ns, what);
      }
    }
    follower_.tick(clock_.now());
  }

  // What is left until the timeout.
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

  // By name: this needs no permission to list them.
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
      const auto found = std::ranges::find(live.objects, name, &cluster::LiveObject::name);
      if (found == live.objects.end()) {
        follower_.take_missing(ns, name, clock_.now());
      } else {
        follower_.take(ns, *found->root, clock_.now());
      }
    }
    return true;
  }

  void poll(Namespace& ns, What what) {
    if (what == What::Workloads && !follower_.waits_for_a_queue(ns.name)) return;
    Call call;
    call.ns = ns.name;
    call.words = {"get", std::string(resource_of(what)), "-o", "json"};
    if (what == What::Pods) call.words.push_back(pods_selector(ns.name));
    call.timeout = longest_call();
    const Clock::Time asked = clock_.now();
    kubectl::Reply reply = kubectl_.run(call);
    if (!reply.ok()) return failed(ns, what, reply.failure);
    cluster::LiveSet live;
    base::Diagnostics diagnostics;
    cluster::read_live({"kubectl get", std::move(reply.out)}, live, diagnostics);
    if (diagnostics.has_errors())
      return failed(ns, what, {Cause::Other, "kubectl get", 0, "the answer is not JSON"});
    if (what == What::Workloads) follower_.forget_workloads(ns.name);
    if (what == What::Pods) {
      std::set<std::string, std::less<>> names;
      for (const cluster::LiveObject& pod : live.objects) names.insert(pod.name);
      follower_.keep_pods(ns.name, names);
    }
    for (const cluster::LiveObject& object : live.objects)
      follower_.take(ns.name, *object.root, clock_.now());
    if (what != What::Events) return;
    ns.failed_events = 0;
    follower_.took_events(ns.name, asked);
  }

  std::string pods_selector(const std::string& ns) const {
    const auto names = names_in(ns);
    return fmt::format("--selector={}{}", k8s::jobset::kJobSetNameLabel,
                       names.size() == 1 ? "=" + *names.begin() : "");
  }

  // Other failures may pass; but a deleted JobSet does not wait for its events forever.
  void failed(Namespace& ns, What what, const Failure& failure) {
    const bool is_refused = failure.cause == Cause::Forbidden || failure.cause == Cause::NoKind;
    const bool is_given_up = what == What::Events && ++ns.failed_events >= kMaxFailedPolls;
    if ((!is_refused && !is_given_up) || sleep(milliseconds(0))) return;
    ns.hidden.insert(what);
    if (what == What::Workloads && failure.cause == Cause::NoKind) return;
    if (what == What::Pods) follower_.hide_pods();
    if (what == What::Events) follower_.hide_events();
    listener_.note(note_of(ns, what, failure));
  }

  static std::string note_of(const Namespace& ns, What what, const Failure& failure) {
    const std::string where = ns.name.empty() ? "" : fmt::format(" of namespace {}", ns.name);
    if (failure.cause == Cause::Forbidden || failure.cause == Cause::NoKind) {
      return fmt::format("you are not allowed to list the {}{}: what they report is not shown{}",
                         words_of(what), where,
                         failure.cause == Cause::Forbidden ? "" : " (the cluster does not know them)");
    }
    return fmt::format("the {}{} can't be listed: what they report is not shown\n{}", words_of(what), where,
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
  int failed_ = 0;  // polls of the JobSets in a row
  WaitResult result_;
};

}  // namespace

void wait_for(std::span<const Object* const> job_sets, const Kubectl& kubectl, const WaitOptions& options,
              Clock& clock, const Listener& listener, const std::function<void(const WaitResult&)>& end) {
  Waiter waiter(kubectl, options, clock, listener, job_sets);
  end(waiter.run());
}

}  // namespace trainjobc::submit
