// SPDX-License-Identifier: Apache-2.0

// Blocked signals as a file descriptor, so that poll(2) waits for them and for data at once.
#pragma once

#include <csignal>

#include "base/files/descriptor.h"

namespace trainjobc::base {

class SignalDescriptor {
 public:
  // The signals must be blocked, as HeldSignals does. False, with errno set, if the system has no descriptor
  // left.
  bool open(const sigset_t& signals);
  bool is_open() const { return descriptor_.is_open(); }
  // Is readable while one of the signals is pending; -1, which poll skips, if it was not opened.
  int get() const { return descriptor_.get(); }
  // Takes a pending signal away and returns it; 0 if there is none.
  int take();

 private:
  Descriptor descriptor_;
  sigset_t signals_{};
};

// The first pending signal of these; 0 if there is none.
int pending_signal(const sigset_t& signals);

}  // namespace trainjobc::base
