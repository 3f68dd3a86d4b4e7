// SPDX-License-Identifier: Apache-2.0

// A line on the terminal that says how far long work is.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/progress.h"

namespace trainjobc::cli {

// Shown after `patience`, and gone at the end. begin() and end() are called by one thread. That thread may
// hold signals back (base::HeldSignals): the one that writes gets none.
class ProgressLine final : public base::Progress {
 public:
  // Replaces the line; "" clears it. Several threads call it, one at a time.
  using Write = std::function<void(std::string_view line)>;

  explicit ProgressLine(Write write, std::chrono::milliseconds patience = std::chrono::seconds(1))
      : write_(std::move(write)), patience_(patience) {}
  ~ProgressLine() override { stop(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool begin(std::string what, size_t total) override;
  void expect(size_t more) override { total_ += more; }
  void step() override { ++done_; }
  void end() override;

 private:
  void stop();
  void show();

  Write write_;
  std::chrono::milliseconds patience_;
  size_t depth_ = 0;  // of work within other work
  std::string what_;  // the rest belongs to the outermost
  std::atomic<size_t> total_ = 0;
  std::atomic<size_t> done_ = 0;
  bool is_over_ = false;
  std::mutex mutex_;  // of is_over_
  std::condition_variable over_;
  std::thread writer_;
};

}  // namespace trainjobc::cli
