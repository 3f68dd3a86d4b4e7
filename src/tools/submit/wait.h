// Follows JobSets until they end.
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "tools/kubectl/kubectl.h"
#include "trainjobc/trainjobc.h"

namespace trainjobc::submit {

enum class End { Completed, Failed, Deleted };

struct WaitOptions {
  std::chrono::seconds timeout{0};  // of all of it; 0: none
  std::chrono::seconds interval{2};
};

// Who is told what; both may be called often.
struct Listener {
  std::function<void(const Object&, End, const std::string& message)> ended;
  std::function<void(const std::string& line)> progress;  // one short line
};

struct WaitResult {
  size_t completed = 0;
  size_t unsuccessful = 0;  // failed or deleted
  size_t pending = 0;       // when time ran out, or kubectl failed too often
  kubectl::Failure failure;
};

// Asks for the status of `job_sets` until all have ended. A question that fails is asked again a few times.
WaitResult wait_for(std::span<const Object* const> job_sets, const kubectl::Kubectl& kubectl,
                    const WaitOptions& options, base::Clock& clock, const Listener& listener);

}  // namespace trainjobc::submit
