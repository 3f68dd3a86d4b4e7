// SPDX-License-Identifier: Apache-2.0

#include "base/clock.h"

#include <thread>

namespace trainjobc::base {

void RealClock::sleep(std::chrono::milliseconds time) {
  std::this_thread::sleep_for(time);
}

}  // namespace trainjobc::base
