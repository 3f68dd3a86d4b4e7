// SPDX-License-Identifier: Apache-2.0

// Follows JobSets until they end.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "compile/compile.h"
#include "features/kubectl/kubectl.h"
#include "features/submit/state.h"
#include "yaml/node.h"

namespace trainjobc::submit {

enum class End { Completed, Failed, Deleted };

struct News {
  const Object* job_set = nullptr;
  std::optional<End> end;
  // At the end, the message of the JobSet's condition; before, a whole line: a reason, or its progress.
  std::string text;
  bool is_progress = false;  // `text` is the JobSet's progress
};

// Derives what happens to JobSets from objects that are fetched repeatedly. Does no I/O and reads no clock.
class Follower {
 public:
  using Time = base::Clock::Time;

  // `are_awaited`: see WaitOptions.
  Follower(std::span<const Object* const> job_sets, Time begin, bool are_awaited = false);

  // Takes a JobSet, Pod, Event or Workload of the requested namespace; one that is known and unchanged has no
  // effect.
  void take(const std::string& ns, const yaml::Node& object, Time now);
  // Notes that the API server has no JobSet of that name.
  void take_missing(const std::string& ns, std::string_view name, Time now);
  // Forgets all other pods, which are gone.
  void keep_pods(const std::string& ns, const std::set<std::string, std::less<>>& names);
  void forget_workloads(const std::string& ns);
  // All events that the API server had at that time were taken. If none of them shows how a deleted JobSet
  // ended, none will.
  void took_events(const std::string& ns, Time asked);
  // Pods can't be seen, as the user may not list them.
  void hide_pods() { sees_pods_ = false; }
  void hide_events() { sees_events_ = false; }
  // Updates what depends only on the time.
  void tick(Time now);

  // Returns the news since the last call.
  std::vector<News> news() { return std::exchange(news_, {}); }
  bool is_done() const { return pending().empty(); }
  // The JobSets that have not ended, in order.
  std::vector<const Object*> pending() const;
  bool waits_for_a_queue(const std::string& ns) const;
  // A line for each JobSet that has not ended: "0:12  JobSet team-a/demo: running, 1/2 pods ready;
  // unschedulable".
  std::vector<std::string> lines(Time now) const;

 private:
  struct Followed {
    const Object* object = nullptr;
    std::string name;
    JobSetState state;
    bool is_seen = false;
    bool has_ended = false;
    std::optional<Time> gone;       // when it was deleted, while its result is unknown
    std::optional<News> end_event;  // how it ended, according to an event
    std::map<std::string, PodState, std::less<>> pods;
    std::map<std::string, std::string, std::less<>> pod_versions;
    std::map<std::string, std::vector<Reason>, std::less<>>
        unheard;  // reasons of pods that have not been seen yet
    std::optional<Reason> workload;
    std::optional<Reason> trouble;  // a reason from events, until all Jobs are running
    std::set<std::string> said;
    std::string milestone;
  };
  using Key = std::pair<std::string, std::string>;  // {namespace, name}

  Followed* find(const std::string& ns, std::string_view name);
  Followed* of_job(const std::string& ns, std::string_view job);
  Followed* of_pod(const std::string& ns, std::string_view pod);
  Followed* of_workload(const std::string& ns, const yaml::Node& workload);
  void take_job_set(Followed& followed, const yaml::Node& job_set, Time now);
  void take_pod(Followed& followed, const yaml::Node& pod);
  void take_event(const std::string& ns, const yaml::Node& event);
  void take_pod_event(Followed& followed, const EventAbout& on, Reason reason);
  void lose(Followed& followed, Time now);
  void end(Followed& followed, End how, std::string text);
  void say(Followed& followed, const Reason& reason);
  void say_progress(Followed& followed, Time now);
  std::string line(const Followed& followed, Time now) const;
  std::string brief(const Followed& followed) const;

  std::deque<Followed> followed_;
  std::map<Key, Followed*> by_name_;
  std::map<Key, Followed*> by_job_;
  std::set<std::string> heard_;  // ids of events that were taken
  std::vector<News> news_;
  Time begin_;
  bool are_awaited_ = false;
  bool sees_pods_ = true;
  bool sees_events_ = true;
};

struct WaitOptions {
  std::chrono::seconds timeout{0};   // for the whole wait; 0: none
  std::chrono::seconds interval{2};  // between polls; grows over time
  std::chrono::seconds longest_interval{10};
  bool are_awaited = false;  // the JobSets: a controller is about to create them
};

// Receives the news.
struct Listener {
  std::function<void(const News&)> news;
  // Called with what can't be listed, and why.
  std::function<void(const std::string& note)> note;
  // Called often, with the progress of each JobSet that has not ended.
  std::function<void(const std::vector<std::string>& lines)> progress;
};

struct WaitResult {
  size_t completed = 0;
  size_t unsuccessful = 0;             // failed or deleted
  std::vector<const Object*> pending;  // after the timeout, a signal, or too many failures of kubectl
  kubectl::Failure failure;
  int signal = 0;  // a signal that asks this process to end; takes effect after `end`
};

// Polls `job_sets`, their pods and events, and, while a JobSet waits for a queue, Kueue's Workloads: with one
// call of kubectl per kind and namespace. Without permission to list the last three, it gives no reasons.
// Repeats a failed request a few times. Calls `end` with the result while signals are still blocked.
void wait_for(std::span<const Object* const> job_sets, const kubectl::Kubectl& kubectl,
              const WaitOptions& options, base::Clock& clock, const Listener& listener,
              const std::function<void(const WaitResult&)>& end);

}  // namespace trainjobc::submit
