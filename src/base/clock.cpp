// SPDX-License-Identifier: Apache-2.0

#include "base/clock.h"

#include <poll.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <optional>

#include "base/signals.h"

namespace trainjobc::base {
namespace {

class RealSleeper final : public Sleeper {
 public:
  // Without a descriptor, a signal is noticed only after the sleep.
  RealSleeper() : held_(std::in_place) { signals_.open(held_->set()); }
  ~RealSleeper() override {
    held_.reset();
    if (signal_ != 0) ::raise(signal_);
  }
  RealSleeper(const RealSleeper&) = delete;
  RealSleeper& operator=(const RealSleeper&) = delete;

  int sleep(std::chrono::milliseconds time) override {
    if (signal_ != 0) return signal_;
    pollfd ready{signals_.get(), POLLIN, 0};
    ::poll(&ready, 1, static_cast<int>(std::clamp<int64_t>(time.count(), 0, 60'000)));
    if (!signals_.is_open()) return pending_signal(held_->set());
    if (ready.revents != 0) signal_ = signals_.take();
    return signal_;
  }

 private:
  std::optional<HeldSignals> held_;
  SignalDescriptor signals_;
  int signal_ = 0;  // the signal that was received
};

}  // namespace

std::unique_ptr<Sleeper> RealClock::make_sleeper() {
  return std::make_unique<RealSleeper>();
}

}  // namespace trainjobc::base
