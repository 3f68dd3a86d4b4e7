// SPDX-License-Identifier: Apache-2.0

// Signals that are delayed until an operation is complete.
#pragma once

#include <csignal>

namespace trainjobc::base {

// Blocks the signals that ask this process to end (SIGHUP, SIGINT, SIGQUIT, SIGTERM) in this thread, which
// must be the only one; they are delivered when the object is destroyed. Ignored signals stay ignored. May be
// nested.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  const sigset_t& set() const { return held_; }

 private:
  sigset_t held_{};
  sigset_t before_{};
};

}  // namespace trainjobc::base
