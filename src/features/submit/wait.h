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
  // At the end, the message of its condition. Before, a whole line: a reason, or the progress of the JobSet.
  std::string text;
  bool is_progress = false;  // the progress of the JobSet
};

// What happens to JobSets according to what is fetched of them again and again. No I/O, no clock.
class Follower {
 public:
  using Time = base::Clock::Time;

  // `are_awaited`: see WaitOptions.
  Follower(std::span<const Object* const> job_sets, Time begin, bool are_awaited = false);

  // A JobSet, Pod, Event or Workload of the requested namespace; those that are known and unchanged do
  // nothing.
  void take(const std::string& ns, const yaml::Node& object, Time now);
  // The API server has no JobSet of that name.
  void take_missing(const std::string& ns, std::string_view name, Time now);
  // Forgets the other pods: they are gone.
  void keep_pods(const std::string& ns, const std::set<std::string, std::less<>>& names);
  void forget_workloads(const std::string& ns);
  // All events that the API server had at that time were taken. If none of them says how a deleted JobSet
  // ended, nothing will.
  void took_events(const std::string& ns, Time asked);
  // The user may not list them.
  void hide_pods() { sees_pods_ = false; }
  void hide_events() { sees_events_ = false; }
  // What follows from the time alone.
  void tick(Time now);

  // The news since the last call.
  std::vector<News> news() { return std::exchange(news_, {}); }
  bool is_done() const { return pending().empty(); }
  // Those that have not ended, in order.
  std::vector<const Object*> pending() const;
  bool waits_for_a_queue(const std::string& ns) const;
  // "0:12  JobSet team-a/demo: running, 1/2 pods ready; unschedulable", for each one that has not ended.
  std::vector<std::string> lines(Time now) const;

 private:
  struct Followed {
    const Object* object = nullptr;
    std::string name;
    JobSetState state;
    bool is_seen = false;
    bool has_ended = false;
    std::optional<Time> gone;       // when it was deleted, if its result is still unknown
    std::optional<News> end_event;  // from an event
    std::map<std::string, PodState, std::less<>> pods;
    std::map<std::string, std::string, std::less<>> pod_versions;
    std::map<std::string, std::vector<Reason>, std::less<>> unheard;  // of pods that were not seen yet
    std::optional<Reason> workload;
    std::optional<Reason> trouble;  // from events, until all Jobs are running
    std::set<std::string> said;
    std::string milestone;
  };
  using Key = std::pair<std::string, std::string>;  // namespace, name

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
  std::set<std::string> heard_;  // events, each with its version
  std::vector<News> news_;
  Time begin_;
  bool are_awaited_ = false;
  bool sees_pods_ = true;
  bool sees_events_ = true;
};

struct WaitOptions {
  std::chrono::seconds timeout{0};   // for everything; 0: none
  std::chrono::seconds interval{2};  // between polls; grows with the time
  std::chrono::seconds longest_interval{10};
  bool are_awaited = false;  // the JobSets: a controller is about to create them
};

// Receives the news.
struct Listener {
  std::function<void(const News&)> news;
  // What can't be listed, and why.
  std::function<void(const std::string& note)> note;
  // The progress of each JobSet that has not ended; called often.
  std::function<void(const std::vector<std::string>& lines)> progress;
};

struct WaitResult {
  size_t completed = 0;
  size_t unsuccessful = 0;             // failed or deleted
  std::vector<const Object*> pending;  // after the timeout, a signal, or too many failures of kubectl
  kubectl::Failure failure;
  int signal = 0;  // that asks this process to end; it takes effect after `end`
};

// Polls `job_sets`, their pods and events, and Kueue's Workloads while a JobSet waits for a queue: one call
// of kubectl for each of these kinds and namespace. Without permission to list the last three, it gives no
// reasons. A request that fails is repeated a few times. `end` is called with the result while signals are
// still blocked.
void wait_for(std::span<const Object* const> job_sets, const kubectl::Kubectl& kubectl,
              const WaitOptions& options, base::Clock& clock, const Listener& listener,
              const std::function<void(const WaitResult&)>& end);

}  // namespace trainjobc::submit
