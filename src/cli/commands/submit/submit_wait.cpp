// SPDX-License-Identifier: Apache-2.0

#include "cli/commands/submit/submit_wait.h"

#include <fmt/format.h>

#include <csignal>
#include <map>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/exit_status.h"
#include "features/kubectl/resource_names.h"
#include "features/submit/steps.h"
#include "features/submit/wait.h"

namespace trainjobc::cli {
namespace {

using submit::End;
using submit::title_of;

// A request that takes longer is retried.
constexpr std::chrono::seconds kLongestQuestion{60};

std::string end_line(const submit::News& news) {
  const std::string title = title_of(*news.job_set);
  if (*news.end == End::Completed) return title + " completed\n";
  if (*news.end == End::Deleted) return title + " was deleted before its result was seen\n";
  return fmt::format("{} failed{}{}\n", title, news.text.empty() ? "" : ": ", news.text);
}

std::string list_of(const std::vector<const Object*>& job_sets) {
  std::string text;
  for (const Object* job_set : job_sets) text += fmt::format("  {}\n", title_of(*job_set));
  return text;
}

class Wait {
 public:
  Wait(Console& console, const SubmitFlags& flags, const SubmitSystem& system)
      : console_(console),
        flags_(flags),
        system_(system),
        progress_(console),
        kubectl_(system.runner, {"kubectl", flags.context, flags.kubeconfig, kLongestQuestion}) {}

  int run(const std::vector<const Object*>& job_sets) {
    submit::Listener listener;
    listener.news = [&](const submit::News& news) { tell(news); };
    listener.note = [&](const std::string& note) { say(fmt::format("note: {}\n", note)); };
    listener.progress = [&](const std::vector<std::string>& lines) { progress_.show(lines); };
    int status = kOk;
    submit::wait_for(job_sets, kubectl_, {std::chrono::seconds(flags_.timeout)}, system_.clock, listener,
                     [&](const submit::WaitResult& result) { status = end(result, job_sets.size()); });
    return status;
  }

 private:
  void say(const std::string& text) {
    progress_.clear();
    console_.write_stderr(text);
  }

  void tell(const submit::News& news) {
    if (!news.end) {
      // The progress lines show how far it got.
      if (!news.is_progress || !progress_.is_shown()) say(news.text + "\n");
      return;
    }
    progress_.clear();
    console_.write_stdout(end_line(news));
  }

  int end(const submit::WaitResult& result, size_t count) {
    progress_.clear();
    if (result.signal != 0) return interrupted(result);
    if (result.pending.empty()) return result.unsuccessful > 0 ? kRejected : kOk;
    if (result.failure.cause != kubectl::Cause::None) return fail(console_, describe(result.failure));
    return fail(console_, fmt::format("{} of {} JobSets had not finished after {} s; they continue to run",
                                      result.pending.size(), count, flags_.timeout));
  }

  int interrupted(const submit::WaitResult& result) {
    const bool cancels = result.signal == SIGINT || result.signal == SIGTERM;
    if (flags_.cancel_on_interrupt && cancels) {
      cancel(result.pending);
    } else if (!result.pending.empty()) {
      fail(console_,
           fmt::format("interrupted; {} to run (stop a job with kubectl delete jobset):\n{}",
                       result.pending.size() == 1 ? "this JobSet continues" : "these JobSets continue",
                       without_break(list_of(result.pending))));
    }
    return 128 + result.signal;
  }

  static std::string without_break(std::string text) {
    text.pop_back();
    return text;
  }

  void cancel(const std::vector<const Object*>& job_sets) {
    std::map<std::string, std::vector<const Object*>> namespaces;
    for (const Object* job_set : job_sets) namespaces[std::string(job_set->ns)].push_back(job_set);
    for (const auto& [ns, of_namespace] : namespaces) {
      kubectl::Call call;
      call.ns = ns;
      call.words = {"delete", std::string(kubectl::resource_of("", "JobSet")), "--ignore-not-found",
                    "--wait=false"};
      for (const Object* job_set : of_namespace) call.names.emplace_back(job_set->name);
      const kubectl::Reply reply = kubectl_.run(call);
      if (reply.ok()) {
        fail(console_, fmt::format("interrupted; deleted:\n{}", without_break(list_of(of_namespace))));
      } else {
        fail(console_,
             fmt::format("interrupted; not deleted:\n{}{}", list_of(of_namespace), describe(reply.failure)));
      }
    }
  }

  Console& console_;
  const SubmitFlags& flags_;
  SubmitSystem system_;
  ProgressBlock progress_;
  kubectl::Kubectl kubectl_;
};

}  // namespace

int wait_for_end(Console& console, const SubmitFlags& flags, const submit::Sending& sending,
                 const SubmitSystem& system) {
  std::vector<const Object*> job_sets;
  for (const submit::Outcome& outcome : sending.outcomes) {
    if (outcome.item->object->kind == "JobSet") job_sets.push_back(outcome.item->object);
  }
  return Wait(console, flags, system).run(job_sets);
}

}  // namespace trainjobc::cli
