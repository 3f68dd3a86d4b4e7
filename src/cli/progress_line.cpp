// SPDX-License-Identifier: Apache-2.0

#include "cli/progress_line.h"

#include <fmt/format.h>

#include <csignal>
#include <optional>
#include <system_error>
#include <utility>

namespace trainjobc::cli {
namespace {

// Signals that come while this exists go to other threads, or wait.
class WithoutSignals {
 public:
  WithoutSignals() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~WithoutSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

bool ProgressLine::begin(std::string what, size_t total) {
  if (depth_++ > 0) return false;
  if (what.empty()) return true;
  what_ = std::move(what);
  total_ = total;
  done_ = 0;
  is_over_ = false;
  const WithoutSignals inherited;
  try {
    writer_ = std::thread([this] { show(); });
  } catch (const std::system_error&) {
    // The system has no more threads.
  }
  return true;
}

void ProgressLine::end() {
  if (--depth_ == 0) stop();
}

void ProgressLine::stop() {
  if (!writer_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  over_.notify_one();
  writer_.join();
}

void ProgressLine::show() {
  constexpr std::chrono::milliseconds kPause(100);
  std::optional<size_t> shown;
  std::unique_lock lock(mutex_);
  std::chrono::milliseconds wait = patience_;
  while (!over_.wait_for(lock, wait, [this] { return is_over_; })) {
    wait = kPause;
    const size_t done = done_;
    if (shown == done) continue;
    shown = done;
    write_(total_ > 1 ? fmt::format("{}: {} of {}", what_, done, total_) : what_ + " …");
  }
  if (shown) write_("");
}

}  // namespace trainjobc::cli
