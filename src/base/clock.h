// SPDX-License-Identifier: Apache-2.0

// The clock as an interface, which tests replace.
#pragma once

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

namespace trainjobc::base {

// A time such as "90", "90s", "10m" or "2h"; nullopt if it is none, or longer than 2^32 seconds.
inline std::optional<std::chrono::seconds> read_time(std::string_view text) {
  constexpr uint64_t kLongest = std::numeric_limits<unsigned>::max();
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view unit = text.substr(digits);
  const uint64_t factor = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  uint64_t amount = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + digits, amount);
  if (digits == 0 || factor == 0 || error != std::errc() || amount > kLongest / factor) return std::nullopt;
  return std::chrono::seconds(amount * factor);
}

// Sleeps that a signal ends.
class Sleeper {
 public:
  virtual ~Sleeper() = default;
  // Returns at once with the signal that asks this process to end, if one has come or comes meanwhile; else
  // 0.
  virtual int sleep(std::chrono::milliseconds time) = 0;
};

class Clock {
 public:
  using Time = std::chrono::steady_clock::time_point;
  virtual ~Clock() = default;

  virtual Time now() = 0;
  // While the sleeper exists, this thread must be the only one: signals that ask this process to end are held
  // back, and take effect when it is destroyed.
  virtual std::unique_ptr<Sleeper> make_sleeper() = 0;
};

class RealClock final : public Clock {
 public:
  Time now() override { return std::chrono::steady_clock::now(); }
  std::unique_ptr<Sleeper> make_sleeper() override;
};

}  // namespace trainjobc::base
