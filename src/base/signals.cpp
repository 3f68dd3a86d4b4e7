// SPDX-License-Identifier: Apache-2.0

#include "base/signals.h"

#ifdef __linux__
#include <sys/signalfd.h>
#else
#include <fcntl.h>
#include <sys/event.h>
#include <sys/types.h>
#endif

#include <initializer_list>

namespace trainjobc::base {
namespace {

constexpr std::initializer_list<int> kSignals = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

#ifdef __linux__

int open_descriptor(const sigset_t& signals) {
  return ::signalfd(-1, &signals, SFD_CLOEXEC);
}

// A signalfd is readable only while a signal is pending.
void forget_taken(int /*descriptor*/) {}

#else

constexpr uintptr_t kAlreadyPending = 0;

// BSD and macOS use a kqueue, which also reports blocked signals, but not those that are pending already.
int open_descriptor(const sigset_t& signals) {
  const int queue = ::kqueue();
  if (queue < 0) return -1;
  bool good = ::fcntl(queue, F_SETFD, FD_CLOEXEC) == 0;
  const auto change = [&](uintptr_t ident, int16_t filter, uint16_t flags, uint32_t what) {
    struct kevent event {};
    EV_SET(&event, ident, filter, flags, what, 0, nullptr);
    good = good && ::kevent(queue, &event, 1, nullptr, 0, nullptr) == 0;
  };
  for (const int signal : kSignals) {
    if (sigismember(&signals, signal) == 1) change(static_cast<uintptr_t>(signal), EVFILT_SIGNAL, EV_ADD, 0);
  }
  change(kAlreadyPending, EVFILT_USER, EV_ADD | EV_CLEAR, 0);
  if (pending_signal(signals) != 0) change(kAlreadyPending, EVFILT_USER, 0, NOTE_TRIGGER);
  if (good) return queue;
  ::close(queue);
  return -1;
}

void forget_taken(int descriptor) {
  struct kevent event {};
  const timespec now{0, 0};
  while (::kevent(descriptor, nullptr, 0, &event, 1, &now) > 0) {
  }
}

#endif

}  // namespace

HeldSignals::HeldSignals() {
  sigemptyset(&held_);
  for (const int signal : kSignals) {
    struct sigaction action {};
    const bool is_ignored = ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
    if (!is_ignored) sigaddset(&held_, signal);
  }
  ::pthread_sigmask(SIG_BLOCK, &held_, &before_);
}

HeldSignals::~HeldSignals() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

WithoutSignals::WithoutSignals() {
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before_);
}

WithoutSignals::~WithoutSignals() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool SignalDescriptor::open(const sigset_t& signals) {
  signals_ = signals;
  descriptor_.open(open_descriptor(signals));
  return descriptor_.is_open();
}

int SignalDescriptor::take() {
  forget_taken(descriptor_.get());
  const int signal = pending_signal(signals_);
  if (signal == 0) return 0;
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  int taken = 0;
  return ::sigwait(&one, &taken) == 0 ? taken : 0;
}

int pending_signal(const sigset_t& signals) {
  sigset_t pending;
  ::sigpending(&pending);
  for (const int signal : kSignals) {
    if (sigismember(&signals, signal) == 1 && sigismember(&pending, signal) == 1) return signal;
  }
  return 0;
}

}  // namespace trainjobc::base
