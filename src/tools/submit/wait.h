// Follows JobSets until they end.
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "compile/compile.h"
#include "tools/kubectl/kubectl.h"
#include "tools/submit/follower.h"

namespace trainjobc::submit {

struct WaitOptions {
  std::chrono::seconds timeout{0};   // of all of it; 0: none
  std::chrono::seconds interval{2};  // between questions, where watching is not allowed, and after a failure
};

// Receives the news.
struct Listener {
  std::function<void(const News&)> news;
  // What can't be followed, and why.
  std::function<void(const std::string& note)> note;
  // How far each JobSet is that has not ended; often.
  std::function<void(const std::vector<std::string>& lines)> progress;
};

struct WaitResult {
  size_t completed = 0;
  size_t unsuccessful = 0;             // failed or deleted
  std::vector<const Object*> pending;  // when time ran out, a signal came, or kubectl failed too often
  kubectl::Failure failure;
  int signal = 0;  // that asks this process to end; it takes effect when `end` is through
};

// Watches `job_sets`, their pods and events, and Kueue's Workloads while one waits for a queue. Who may not
// watch JobSets asks for them every now and then; who may not look at the rest waits without its reasons. A
// question that fails is asked again a few times. `end` is called with what came of it, while signals are
// still held back.
void wait_for(std::span<const Object* const> job_sets, const kubectl::Kubectl& kubectl,
              const WaitOptions& options, base::Clock& clock, const Listener& listener,
              const std::function<void(const WaitResult&)>& end);

}  // namespace trainjobc::submit
