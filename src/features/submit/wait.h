// SPDX-License-Identifier: Apache-2.0

// Follows JobSets until they end.
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "compile/compile.h"
#include "features/kubectl/kubectl.h"
#include "features/submit/follower.h"

namespace trainjobc::submit {

struct WaitOptions {
  std::chrono::seconds timeout{0};   // for everything; 0: none
  std::chrono::seconds interval{2};  // between polls; grows with the time
  std::chrono::seconds longest_interval{10};
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
