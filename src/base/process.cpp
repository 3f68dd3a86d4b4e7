// SPDX-License-Identifier: Apache-2.0

#include "base/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/held_signals.h"
#include "base/signal_descriptor.h"
#include "base/spawn.h"

namespace trainjobc::base {
namespace {

using SteadyClock = std::chrono::steady_clock;

// A program that stops reading must not end this process.
class NoBrokenPipeSignal {
 public:
  NoBrokenPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t before;
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before);
    was_blocked_ = sigismember(&before, SIGPIPE) == 1;
  }
  ~NoBrokenPipeSignal() {
    if (was_blocked_) return;
    sigset_t pending;
    int signal = 0;
    if (::sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1) ::sigwait(&pipe_, &signal);
    ::pthread_sigmask(SIG_UNBLOCK, &pipe_, nullptr);
  }
  NoBrokenPipeSignal(const NoBrokenPipeSignal&) = delete;
  NoBrokenPipeSignal& operator=(const NoBrokenPipeSignal&) = delete;

 private:
  sigset_t pipe_{};
  bool was_blocked_ = false;
};

// Moves the data that is ready; closes an end that is finished.
void feed(Descriptor& to, std::string_view& rest) {
  const ssize_t count = ::write(to.get(), rest.data(), rest.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  rest.remove_prefix(static_cast<size_t>(std::max<ssize_t>(count, 0)));
  if (count < 0 || rest.empty()) to.close();
}

struct Conversation {
  Pipe in;
  Pipe out;
  Pipe err;
  SignalDescriptor signals;  // those that ask this process to end
};

// Until all streams are closed, or the deadline or a signal comes.
Ended converse(Conversation& pipes, std::string_view input, std::optional<SteadyClock::time_point> deadline,
               ProcessResult& result) {
  if (input.empty()) pipes.in.write.close();
  while (pipes.in.write.is_open() || pipes.out.read.is_open() || pipes.err.read.is_open()) {
    // poll skips negative descriptors.
    std::array<pollfd, 4> ready{
        pollfd{pipes.in.write.get(), POLLOUT, 0}, pollfd{pipes.out.read.get(), POLLIN, 0},
        pollfd{pipes.err.read.get(), POLLIN, 0}, pollfd{pipes.signals.get(), POLLIN, 0}};
    int wait = -1;
    if (deadline) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(*deadline - SteadyClock::now()).count();
      if (left <= 0) return Ended::TooLate;
      wait = static_cast<int>(std::min<int64_t>(left, 60'000));
    }
    if (::poll(ready.data(), ready.size(), wait) <= 0) continue;
    if (ready[3].revents != 0) return Ended::Signal;
    if (ready[0].revents != 0) feed(pipes.in.write, input);
    if (ready[1].revents != 0) drain(pipes.out.read, result.out);
    if (ready[2].revents != 0) drain(pipes.err.read, result.err);
  }
  return Ended::Itself;
}

}  // namespace

IoResult<ProcessResult> RealProcessRunner::run(const ProcessRequest& request) {
  const std::string& program = request.argv.front();
  const auto failure = [&](int error) {
    return IoError{fmt::format("run {}: {}", program, std::generic_category().message(error))};
  };
  const bool captures = request.streams == Streams::Capture;
  const HeldSignals held;
  Conversation pipes;
  if (!pipes.in.open() || (captures && (!pipes.out.open() || !pipes.err.open()))) return failure(errno);
  if (!pipes.signals.open(held.set())) return failure(errno);
  // A program that uses the terminal must stay in its process group.
  Spawn spawn(captures);
  spawn.connect(pipes.in.read, STDIN_FILENO);
  if (captures) {
    spawn.connect(pipes.out.write, STDOUT_FILENO);
    spawn.connect(pipes.err.write, STDERR_FILENO);
  }
  std::optional<SteadyClock::time_point> deadline;
  if (request.timeout.count() > 0) deadline = SteadyClock::now() + request.timeout;
  const NoBrokenPipeSignal guard;
  pid_t pid = 0;
  if (const int error = spawn.start(request.argv, pid)) return failure(error);
  pipes.in.read.close();
  pipes.out.write.close();
  pipes.err.write.close();
  ::fcntl(pipes.in.write.get(), F_SETFL, O_NONBLOCK);

  ProcessResult result;
  Ended ended = converse(pipes, request.input, deadline, result);
  if (ended == Ended::Itself) ended = await_end(pid, deadline, pipes.signals.get());
  if (ended == Ended::TooLate) {
    end_program(pid, captures, SIGKILL);
    return IoError{fmt::format("run {}: no answer within {} s", program,
                               std::chrono::duration_cast<std::chrono::seconds>(request.timeout).count())};
  }
  if (ended == Ended::Signal) {
    end_program(pid, captures, pending_signal(held.set()));
    return IoError{fmt::format("run {}: interrupted", program)};
  }
  const std::optional<int> status = reap(pid);
  if (!status) return failure(errno);
  result.status = *status;
  return result;
}

}  // namespace trainjobc::base
