// Signals that wait until something is finished.
#pragma once

#include <csignal>

namespace trainjobc::base {

// Holds back the signals that ask this process to end (SIGHUP, SIGINT, SIGQUIT, SIGTERM) from this thread,
// which must be the only one; they arrive when it goes. Those that are ignored stay ignored. May be nested.
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
