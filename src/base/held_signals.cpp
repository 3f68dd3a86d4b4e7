// SPDX-License-Identifier: Apache-2.0

#include "base/held_signals.h"

#include <initializer_list>

namespace trainjobc::base {

HeldSignals::HeldSignals() {
  sigemptyset(&held_);
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) {
    struct sigaction action {};
    const bool is_ignored = ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
    if (!is_ignored) sigaddset(&held_, signal);
  }
  ::pthread_sigmask(SIG_BLOCK, &held_, &before_);
}

HeldSignals::~HeldSignals() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace trainjobc::base
