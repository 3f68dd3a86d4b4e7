#include "tools/submit/wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "tools/diff/fetch.h"
#include "tools/submit/plan.h"
#include "tools/submit/state.h"

namespace trainjobc::submit {
namespace {

using base::Clock;
using kubectl::Kubectl;
using std::chrono::milliseconds;

// Questions in a row that may fail: an API server that restarts is away for a while.
constexpr int kPatience = 5;

std::string clock_text(std::chrono::seconds time) {
  const auto count = time.count();
  if (count < 3600) return fmt::format("{}:{:02}", count / 60, count % 60);
  return fmt::format("{}:{:02}:{:02}", count / 3600, count / 60 % 60, count % 60);
}

class Waiter {
 public:
  Waiter(const Kubectl& kubectl, const WaitOptions& options, Clock& clock, const Listener& listener)
      : kubectl_(kubectl), options_(options), clock_(clock), listener_(listener), begin_(clock.now()) {}

  WaitResult run(std::span<const Object* const> job_sets) {
    pending_.assign(job_sets.begin(), job_sets.end());
    total_ = pending_.size();
    for (int failed = 0; !pending_.empty();) {
      result_.failure = ask();
      failed = result_.failure.cause == kubectl::Cause::None ? 0 : failed + 1;
      if (failed == kPatience || pending_.empty()) break;
      if (failed == 0) listener_.progress(progress());
      if (is_over()) break;
      clock_.sleep(pause());
    }
    result_.pending = pending_.size();
    return result_;
  }

 private:
  std::optional<milliseconds> left() const {
    if (options_.timeout.count() == 0) return std::nullopt;
    return std::chrono::duration_cast<milliseconds>(begin_ + options_.timeout - clock_.now());
  }

  bool is_over() const { return left() && left()->count() <= 0; }

  milliseconds pause() const {
    const milliseconds interval = options_.interval;
    return left() ? std::min(*left(), interval) : interval;
  }

  kubectl::Failure ask() {
    std::map<std::string, std::vector<const Object*>> namespaces;
    for (const Object* job_set : pending_) namespaces[std::string(job_set->ns)].push_back(job_set);
    states_.clear();
    for (const auto& [ns, job_sets] : namespaces) {
      std::set<std::string> names;
      for (const Object* job_set : job_sets) names.emplace(job_set->name);
      const auto call = kubectl::get_by_name(ns, job_sets.front()->api_version, "JobSet", names, "json");
      diff::LiveSet live;
      diff::Answer answer = diff::ask(kubectl_, call, live);
      if (!answer.ok()) return std::move(answer.failure);
      look_at(job_sets, live);
    }
    return {};
  }

  void look_at(const std::vector<const Object*>& job_sets, const diff::LiveSet& live) {
    for (const Object* job_set : job_sets) {
      const auto found = std::ranges::find(live.objects, job_set->name, &diff::LiveObject::name);
      if (found == live.objects.end()) {
        end(*job_set, End::Deleted, "");
        continue;
      }
      JobSetState state = state_of(*found->root);
      if (state.phase == Phase::Completed || state.phase == Phase::Failed) {
        end(*job_set, state.phase == Phase::Completed ? End::Completed : End::Failed, state.message);
      } else {
        states_.emplace_back(job_set, std::move(state));
      }
    }
  }

  void end(const Object& job_set, End how, const std::string& message) {
    std::erase(pending_, &job_set);
    ++(how == End::Completed ? result_.completed : result_.unsuccessful);
    listener_.ended(job_set, how, message);
  }

  std::string progress() const {
    const auto time = std::chrono::duration_cast<std::chrono::seconds>(clock_.now() - begin_);
    std::string text = clock_text(time);
    if (total_ > 1) text += fmt::format("  {} of {} ended", total_ - pending_.size(), total_);
    if (states_.empty()) return text;
    const auto& [job_set, state] = states_.front();
    const std::string jobs = describe_jobs(state);
    return fmt::format("{}  {}: {}{}{}", text, title_of(*job_set), word_of(state.phase),
                       jobs.empty() ? "" : ", ", jobs);
  }

  const Kubectl& kubectl_;
  const WaitOptions& options_;
  Clock& clock_;
  const Listener& listener_;
  Clock::Time begin_;
  std::vector<const Object*> pending_;
  std::vector<std::pair<const Object*, JobSetState>> states_;
  size_t total_ = 0;
  WaitResult result_;
};

}  // namespace

WaitResult wait_for(std::span<const Object* const> job_sets, const Kubectl& kubectl,
                    const WaitOptions& options, Clock& clock, const Listener& listener) {
  return Waiter(kubectl, options, clock, listener).run(job_sets);
}

}  // namespace trainjobc::submit
