// SPDX-License-Identifier: Apache-2.0

#include "base/clock.h"

#include <doctest/doctest.h>

#include <csignal>

#include "base/process.h"

namespace trainjobc::clock_test {
namespace {

using namespace trainjobc::base;
using std::chrono::milliseconds;

volatile std::sig_atomic_t g_signals = 0;

}  // namespace

TEST_CASE("a sleep lasts as long as asked") {
  RealClock clock;
  const auto sleeper = clock.make_sleeper();
  const auto begin = clock.now();
  CHECK(sleeper->sleep(milliseconds(20)) == 0);
  CHECK(clock.now() - begin >= milliseconds(19));
}

TEST_CASE("a signal ends a sleep, and takes effect when the sleeper is destroyed") {
  struct sigaction before {};
  struct sigaction counting {};
  counting.sa_handler = [](int) { g_signals = g_signals + 1; };
  ::sigaction(SIGTERM, &counting, &before);
  g_signals = 0;
  {
    RealClock clock;
    const auto sleeper = clock.make_sleeper();
    ::raise(SIGTERM);
    const auto begin = clock.now();
    CHECK(sleeper->sleep(milliseconds(20'000)) == SIGTERM);
    CHECK(sleeper->sleep(milliseconds(20'000)) == SIGTERM);
    CHECK(clock.now() - begin < milliseconds(10'000));
    // What is run meanwhile is not interrupted by it.
    RealProcessRunner runner;
    CHECK(std::holds_alternative<ProcessResult>(runner.run({{"true"}})));
    CHECK(g_signals == 0);
  }
  CHECK(g_signals == 1);
  ::sigaction(SIGTERM, &before, nullptr);
}

}  // namespace trainjobc::clock_test
