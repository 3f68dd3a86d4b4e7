// SPDX-License-Identifier: Apache-2.0

// The clock as an interface, which tests replace.
#pragma once

#include <chrono>

namespace trainjobc::base {

class Clock {
 public:
  using Time = std::chrono::steady_clock::time_point;
  virtual ~Clock() = default;

  virtual Time now() = 0;
  virtual void sleep(std::chrono::milliseconds time) = 0;
};

class RealClock final : public Clock {
 public:
  Time now() override { return std::chrono::steady_clock::now(); }
  void sleep(std::chrono::milliseconds time) override;
};

}  // namespace trainjobc::base
