// SPDX-License-Identifier: Apache-2.0

#include "base/clock.h"

#include <poll.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/signals.h"

namespace trainjobc::base {
namespace {

class RealSleeper final : public Sleeper {
 public:
  // Without a descriptor, a signal is noticed after the sleep.
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
  int signal_ = 0;  // that was received
};

}  // namespace

std::unique_ptr<Sleeper> RealClock::make_sleeper() {
  return std::make_unique<RealSleeper>();
}

std::optional<std::chrono::seconds> read_time(std::string_view text) {
  constexpr uint64_t kLongest = std::numeric_limits<unsigned>::max();
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view unit = text.substr(digits);
  const uint64_t factor = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  uint64_t amount = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + digits, amount);
  if (digits == 0 || factor == 0 || error != std::errc() || amount > kLongest / factor) return std::nullopt;
  return std::chrono::seconds(amount * factor);
}

}  // namespace trainjobc::base
