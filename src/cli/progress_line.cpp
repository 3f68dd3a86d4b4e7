// SPDX-License-Identifier: Apache-2.0

#include "cli/progress_line.h"

#include <fmt/format.h>

#include <optional>
#include <system_error>
#include <utility>

#include "base/signals.h"

namespace trainjobc::cli {

bool ProgressLine::begin(std::string what, size_t total) {
  if (depth_++ > 0) return false;
  if (what.empty()) return true;
  what_ = std::move(what);
  total_ = total;
  done_ = 0;
  is_over_ = false;
  const base::WithoutSignals inherited;
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
    const size_t total = total_;
    write_(total > 1 ? fmt::format("{}: {} of {}", what_, done, total) : what_ + " …");
  }
  if (shown) write_("");
}

}  // namespace trainjobc::cli
