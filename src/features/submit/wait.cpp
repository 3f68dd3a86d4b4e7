// SPDX-License-Identifier: Apache-2.0

#include "features/submit/wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <utility>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/source.h"
#include "features/cluster/live.h"
#include "features/kubectl/resource_names.h"
#include "features/kubectl/watches.h"
#include "features/submit/event_fields.h"
#include "features/submit/state.h"
#include "features/submit/steps.h"
#include "k8s/jobset/construct.h"
#include "yaml/read/reader.h"

namespace trainjobc::submit {
namespace {

using base::Clock;
using kubectl::Cause;
using kubectl::Kubectl;
using kubectl::WatchNews;
using std::chrono::milliseconds;
using std::chrono::seconds;

// A restarting API server is unavailable for a while.
constexpr int kMaxFailedQuestions = 5;  // in a row
constexpr seconds kTick{1};
// A JobSet that a new watch doesn't report may have been deleted before the watch began.
constexpr seconds kSilence{5};

enum class What { JobSets, Pods, Events, Workloads };

std::string resource_of(What what) {
  switch (what) {
    case What::JobSets: return std::string(kubectl::resource_of("", "JobSet"));
    case What::Pods: return "pods";
    case What::Events: return "events";
    case What::Workloads: return "workloads.kueue.x-k8s.io";
  }
  return "";
}

// One kind of object in one namespace.
struct Stream {
  What what = What::JobSets;
  std::string ns;
  std::optional<size_t> watch;
  std::optional<Clock::Time> due;    // when to start it
  std::optional<Clock::Time> check;  // when to check whether unreported JobSets still exist
  bool may_watch = true;
  std::set<std::string> heard;  // names
};

class Waiter {
 public:
  Waiter(const Kubectl& kubectl, const WaitOptions& options, Clock& clock, const Listener& listener,
         std::span<const Object* const> job_sets)
      : kubectl_(kubectl),
        options_(options),
        clock_(clock),
        listener_(listener),
        watches_(kubectl),
        begin_(clock.now()),
        follower_(job_sets, begin_) {
    std::set<std::string> namespaces;
    for (const Object* job_set : job_sets) namespaces.emplace(job_set->ns);
    for (const std::string& ns : namespaces) {
      for (const What what : {What::JobSets, What::Pods, What::Events}) add_stream(what, ns);
    }
  }

  WaitResult run() {
    while (!follower_.is_done() && !is_over()) {
      for (Stream& stream : streams_) {
        if (failed_ < kMaxFailedQuestions) attend(stream);
      }
      tell();
      if (follower_.is_done() || failed_ >= kMaxFailedQuestions) break;
      const WatchNews news = watches_.next(pause());
      if (news.kind == WatchNews::Kind::Interrupted) {
        result_.signal = news.signal;
        break;
      }
      take(news);
      follower_.tick(clock_.now());
      tell();
    }
    result_.pending = follower_.pending();
    return std::move(result_);
  }

 private:
  void add_stream(What what, const std::string& ns) {
    Stream& stream = streams_.emplace_back();
    stream.what = what;
    stream.ns = ns;
    stream.due = clock_.now();
  }

  bool is_over() const { return options_.timeout.count() > 0 && clock_.now() - begin_ >= options_.timeout; }

  milliseconds pause() const {
    Clock::Time until = clock_.now() + kTick;
    if (options_.timeout.count() > 0) until = std::min<Clock::Time>(until, begin_ + options_.timeout);
    for (const Stream& stream : streams_) {
      if (stream.due) until = std::min(until, *stream.due);
    }
    return std::max(std::chrono::ceil<milliseconds>(until - clock_.now()), milliseconds(0));
  }

  // Does what is due for a stream.
  void attend(Stream& stream) {
    const Clock::Time now = clock_.now();
    if (stream.check && now >= *stream.check) {
      stream.check.reset();
      const auto pending = names_in(stream.ns);
      if (!std::ranges::includes(stream.heard, pending)) ask(stream.ns);
    }
    if (!stream.due || now < *stream.due) return;
    stream.due.reset();
    if (stream.what == What::JobSets && !begin_job_sets(stream)) return;
    if (stream.what == What::Pods) follower_.forget_pods(stream.ns);
    if (stream.may_watch)
      stream.watch = watches_.start(resource_of(stream.what), stream.ns, selectors(stream));
  }

  // A watch reports nothing about objects that do not exist.
  bool begin_job_sets(Stream& stream) {
    if (names_in(stream.ns).empty()) return false;
    if (!ask(stream.ns) || !stream.may_watch) {
      stream.due = clock_.now() + options_.interval;
      return false;
    }
    stream.heard.clear();
    stream.check = clock_.now() + kSilence;
    return true;
  }

  std::vector<std::string> selectors(const Stream& stream) const {
    const auto names = names_in(stream.ns);
    if (stream.what == What::JobSets && names.size() == 1)
      return {"--field-selector=metadata.name=" + *names.begin()};
    if (stream.what != What::Pods) return {};
    return {fmt::format("--selector={}{}", k8s::jobset::kJobSetNameLabel,
                        names.size() == 1 ? "=" + *names.begin() : "")};
  }

  std::set<std::string> names_in(const std::string& ns) const {
    std::set<std::string> names;
    for (const Object* job_set : follower_.pending()) {
      if (job_set->ns == ns) names.emplace(job_set->name);
    }
    return names;
  }

  bool ask(const std::string& ns) {
    const std::set<std::string> names = names_in(ns);
    const auto pending = follower_.pending();
    const auto one = std::ranges::find(pending, ns, &Object::ns);
    cluster::LiveSet live;
    cluster::Answer answer =
        cluster::ask(kubectl_, kubectl::get_by_name(ns, (*one)->api_version, "JobSet", names, "json"), live);
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

  void take(const WatchNews& news) {
    if (news.kind == WatchNews::Kind::Nothing) return;
    const auto stream = std::ranges::find(streams_, std::optional(news.watch), &Stream::watch);
    if (stream == streams_.end()) return;
    if (news.kind == WatchNews::Kind::Event) {
      take_event(*stream, news.event);
    } else {
      stream->watch.reset();
      ended(*stream, news.failure);
    }
  }

  void take_event(Stream& stream, const std::string& text) {
    const base::SourceFile file("kubectl get --watch", text);
    base::Arena arena;
    base::Diagnostics diagnostics;
    for (const yaml::Document& document : yaml::read(file, arena, diagnostics)) {
      const yaml::Node* object = document.root->get("object");
      if (!object) continue;
      const std::string_view type = value_at(*document.root, {"type"});
      stream.heard.emplace(value_at(*object, {"metadata", "name"}));
      if (type == "DELETED") {
        follower_.take_deleted(stream.ns, *object, clock_.now());
      } else if (type == "ADDED" || type == "MODIFIED") {
        follower_.take(stream.ns, *object, clock_.now());
      }
    }
    const bool is_known = std::ranges::any_of(streams_, [&](const Stream& other) {
      return other.what == What::Workloads && other.ns == stream.ns;
    });
    if (!is_known && follower_.waits_for_a_queue(stream.ns)) add_stream(What::Workloads, stream.ns);
  }

  // The API server closes watches now and then, and networks fail.
  void ended(Stream& stream, const kubectl::Failure& failure) {
    stream.due = clock_.now() + options_.interval;
    const bool is_refused = failure.cause == Cause::Forbidden || failure.cause == Cause::NoKind;
    if (!is_refused) return;
    stream.may_watch = false;
    if (stream.what != What::JobSets) stream.due.reset();
    if (stream.what == What::Workloads && failure.cause == Cause::NoKind) return;
    if (stream.what == What::Pods) follower_.hide_pods();
    if (stream.what == What::Events) follower_.hide_events();
    listener_.note(note_of(stream, failure));
  }

  std::string note_of(const Stream& stream, const kubectl::Failure& failure) const {
    const std::string where = stream.ns.empty() ? "" : fmt::format(" of namespace {}", stream.ns);
    if (stream.what == What::JobSets) {
      return fmt::format("you are not allowed to watch the JobSets{}: they are fetched every {} s instead",
                         where, options_.interval.count());
    }
    const std::string_view name = stream.what == What::Pods     ? "pods"
                                  : stream.what == What::Events ? "events"
                                                                : "Workloads of Kueue";
    return fmt::format("you are not allowed to watch the {}{}: what they report is not shown{}", name, where,
                       failure.cause == Cause::Forbidden ? "" : " (the cluster does not know them)");
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
  kubectl::Watches watches_;
  Clock::Time begin_;
  Follower follower_;
  std::deque<Stream> streams_;
  int failed_ = 0;  // requests in a row
  WaitResult result_;
};

}  // namespace

void wait_for(std::span<const Object* const> job_sets, const Kubectl& kubectl, const WaitOptions& options,
              Clock& clock, const Listener& listener, const std::function<void(const WaitResult&)>& end) {
  Waiter waiter(kubectl, options, clock, listener, job_sets);
  end(waiter.run());
}

}  // namespace trainjobc::submit
