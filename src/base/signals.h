// SPDX-License-Identifier: Apache-2.0

// Signals that are delayed until an operation is complete.
#pragma once

#include <csignal>

#include "base/files/descriptor.h"

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

// Blocks all signals in this thread, and in threads and processes that it starts: those that come go to other
// threads, or wait.
class WithoutSignals {
 public:
  WithoutSignals();
  ~WithoutSignals();
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;

 private:
  sigset_t before_{};
};

// Blocked signals as a file descriptor, so that poll(2) waits for them and for data at once.

class SignalDescriptor {
 public:
  // The signals must be blocked, as HeldSignals does. Returns false, with errno set, if the system has no
  // descriptor left.
  bool open(const sigset_t& signals);
  bool is_open() const { return descriptor_.is_open(); }
  // A descriptor that is readable while one of the signals is pending; -1, which poll(2) skips, if open()
  // failed or was not called.
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
