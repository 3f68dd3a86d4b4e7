#include "base/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/held_signals.h"

namespace trainjobc::base {
namespace {

using Clock = std::chrono::steady_clock;

// One end of a pipe; closed when it goes.
class End {
 public:
  End() = default;
  ~End() { close(); }
  End(const End&) = delete;
  End& operator=(const End&) = delete;
  void open(int fd) { fd_ = fd; }
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

struct Pipe {
  End read;
  End write;

  bool open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read.open(ends[0]);
    write.open(ends[1]);
    return true;
  }
};

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
    const timespec now{0, 0};
    while (::sigtimedwait(&pipe_, nullptr, &now) > 0) {
    }
    ::pthread_sigmask(SIG_UNBLOCK, &pipe_, nullptr);
  }
  NoBrokenPipeSignal(const NoBrokenPipeSignal&) = delete;
  NoBrokenPipeSignal& operator=(const NoBrokenPipeSignal&) = delete;

 private:
  sigset_t pipe_{};
  bool was_blocked_ = false;
};

class Spawn {
 public:
  // In a process group of its own, or in this one.
  explicit Spawn(bool own_group) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    // What this process blocks or ignores is not the program's business. A group in the background that asks
    // at the terminal is refused with these two blocked; else it would be stopped, and never end.
    sigset_t blocked;
    sigemptyset(&blocked);
    if (own_group) sigaddset(&blocked, SIGTTIN);
    if (own_group) sigaddset(&blocked, SIGTTOU);
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    ::posix_spawnattr_setsigmask(&attributes_, &blocked);
    ::posix_spawnattr_setsigdefault(&attributes_, &pipe);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    const int group = own_group ? POSIX_SPAWN_SETPGROUP : 0;
    ::posix_spawnattr_setflags(&attributes_,
                               static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group));
  }
  ~Spawn() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;

  void connect(const End& end, int fd) { ::posix_spawn_file_actions_adddup2(&actions_, end.get(), fd); }

  // 0, or the error.
  int start(const std::vector<std::string>& argv, pid_t& pid) {
#ifdef __GLIBC__
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
#endif
    std::vector<std::string> words = argv;
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return ::posix_spawnp(&pid, pointers.front(), &actions_, &attributes_, pointers.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// Moves what is ready; an end that is through is closed.
void feed(End& to, std::string_view& rest) {
  const ssize_t count = ::write(to.get(), rest.data(), rest.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  rest.remove_prefix(static_cast<size_t>(std::max<ssize_t>(count, 0)));
  if (count < 0 || rest.empty()) to.close();
}

void drain(End& from, std::string& text) {
  std::array<char, size_t{1} << 16U> block{};
  const ssize_t count = ::read(from.get(), block.data(), block.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count <= 0) {
    from.close();
  } else {
    text.append(block.data(), static_cast<size_t>(count));
  }
}

struct Conversation {
  Pipe in;
  Pipe out;
  Pipe err;
  End signals;  // those that ask this process to end
};

enum class Ended { Itself, TooLate, Signal };

// Until all streams are closed, or the deadline or a signal comes.
Ended converse(Conversation& pipes, std::string_view input, std::optional<Clock::time_point> deadline,
               ProcessResult& result) {
  if (input.empty()) pipes.in.write.close();
  while (pipes.in.write.is_open() || pipes.out.read.is_open() || pipes.err.read.is_open()) {
    // poll passes over negative descriptors.
    std::array<pollfd, 4> ready{
        pollfd{pipes.in.write.get(), POLLOUT, 0}, pollfd{pipes.out.read.get(), POLLIN, 0},
        pollfd{pipes.err.read.get(), POLLIN, 0}, pollfd{pipes.signals.get(), POLLIN, 0}};
    int wait = -1;
    if (deadline) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(*deadline - Clock::now()).count();
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

int status_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

// Waits for the end, which waitpid then tells; a program that closed its streams may still run.
Ended await_end(pid_t pid, std::optional<Clock::time_point> deadline, const End& signals) {
  for (int pause = 1;; pause = std::min(2 * pause, 50)) {
    siginfo_t info{};
    const int got = ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT);
    if (got != 0 ? errno != EINTR : info.si_pid == pid) return Ended::Itself;
    if (deadline && Clock::now() >= *deadline) return Ended::TooLate;
    pollfd ready{signals.get(), POLLIN, 0};
    if (::poll(&ready, 1, pause) > 0) return Ended::Signal;
  }
}

// nullopt, and errno says why: the system has not kept the status.
std::optional<int> reap(pid_t pid) {
  int wait_status = 0;
  pid_t got = 0;
  do {
    got = ::waitpid(pid, &wait_status, 0);
  } while (got < 0 && errno == EINTR);
  return got == pid ? std::optional(status_of(wait_status)) : std::nullopt;
}

// The first of the signals that waits; 0 for none.
int pending_signal(const sigset_t& held) {
  sigset_t pending;
  ::sigpending(&pending);
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) {
    if (sigismember(&held, signal) == 1 && sigismember(&pending, signal) == 1) return signal;
  }
  return 0;
}

// Ends the program, and what it has started if it leads a group: at once, or by `signal` with time to obey.
void end_program(pid_t pid, bool leads_group, int signal) {
  const pid_t target = leads_group ? -pid : pid;
  ::kill(target, signal);
  if (signal != SIGKILL) {
    await_end(pid, Clock::now() + std::chrono::seconds(2), End());
    ::kill(target, SIGKILL);
  }
  reap(pid);
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
  pipes.signals.open(::signalfd(-1, &held.set(), SFD_CLOEXEC));
  if (!pipes.signals.is_open()) return failure(errno);
  // What has the terminal must stay in its group.
  Spawn spawn(captures);
  spawn.connect(pipes.in.read, STDIN_FILENO);
  if (captures) {
    spawn.connect(pipes.out.write, STDOUT_FILENO);
    spawn.connect(pipes.err.write, STDERR_FILENO);
  }
  std::optional<Clock::time_point> deadline;
  if (request.timeout.count() > 0) deadline = Clock::now() + request.timeout;
  const NoBrokenPipeSignal guard;
  pid_t pid = 0;
  if (const int error = spawn.start(request.argv, pid)) return failure(error);
  pipes.in.read.close();
  pipes.out.write.close();
  pipes.err.write.close();
  ::fcntl(pipes.in.write.get(), F_SETFL, O_NONBLOCK);

  ProcessResult result;
  Ended ended = converse(pipes, request.input, deadline, result);
  if (ended == Ended::Itself) ended = await_end(pid, deadline, pipes.signals);
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
