// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>
#include <poll.h>

#include <csignal>

#include "base/signals.h"

namespace trainjobc::signal_descriptor_test {
namespace {

using namespace trainjobc::base;

bool is_readable(const SignalDescriptor& signals) {
  pollfd ready{signals.get(), POLLIN, 0};
  return ::poll(&ready, 1, 0) == 1;
}

TEST_CASE("a signal descriptor is readable while a signal is pending") {
  const HeldSignals held;
  SignalDescriptor signals;
  CHECK(!signals.is_open());
  CHECK(signals.get() == -1);
  REQUIRE(signals.open(held.set()));
  CHECK(!is_readable(signals));
  CHECK(signals.take() == 0);
  ::raise(SIGTERM);
  CHECK(is_readable(signals));
  CHECK(pending_signal(held.set()) == SIGTERM);
  CHECK(signals.take() == SIGTERM);
  CHECK(!is_readable(signals));
  CHECK(signals.take() == 0);
}

TEST_CASE("a signal descriptor knows signals that were pending before") {
  const HeldSignals held;
  ::raise(SIGTERM);
  SignalDescriptor signals;
  REQUIRE(signals.open(held.set()));
  CHECK(is_readable(signals));
  CHECK(signals.take() == SIGTERM);
  CHECK(pending_signal(held.set()) == 0);
}

}  // namespace

}  // namespace trainjobc::signal_descriptor_test
