// SPDX-License-Identifier: Apache-2.0

// The clock as an interface, which tests replace.
#pragma once

#include <chrono>
#include <memory>

namespace trainjobc::base {

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
