// SPDX-License-Identifier: Apache-2.0

#include "base/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <memory>
#include <string_view>
#include <system_error>

#include "base/files/descriptor.h"
#include "base/parallel.h"
#include "base/signals.h"

extern char** environ;  // POSIX leaves the declaration to the program

#ifdef __linux__
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

namespace trainjobc::base {
namespace {

using SteadyClock = std::chrono::steady_clock;

int status_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

// Keeps the program from inheriting any descriptor from `first` on.
void keep_open_until_start(int first) {
#ifdef CLOSE_RANGE_CLOEXEC
  // By number, because older C libraries don't have the function.
  if (::syscall(SYS_close_range, static_cast<unsigned>(first), ~0U, CLOSE_RANGE_CLOEXEC) == 0) return;
#endif
  const long count = ::sysconf(_SC_OPEN_MAX);
  for (int fd = first; fd < std::min(count, 1L << 16U); ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

// Makes the program end when this process does, however that ends. False if the system can't.
bool end_with_parent() {
#ifdef __linux__
  return ::prctl(PR_SET_PDEATHSIG, SIGTERM) == 0;
#else
  return true;  // no other system offers it: there the program survives a SIGKILL of this process
#endif
}

struct Pipe {
  Descriptor read;
  Descriptor write;

  bool open() {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return false;
    read.open(ends[0]);
    write.open(ends[1]);
    // pipe2(2) would do it at once, but is not available everywhere; only Spawn starts programs, and it
    // closes the rest.
    return ::fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && ::fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
  }
};

// The most that a program may print.
constexpr size_t kMostOutput = size_t{1} << 30U;

// Appends what is available to `text`; closes the pipe at its end.
void drain(Descriptor& from, std::string& text) {
  std::array<char, size_t{1} << 16U> block{};
  const ssize_t count = ::read(from.get(), block.data(), block.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count <= 0) {
    from.close();
  } else {
    text.append(block.data(), static_cast<size_t>(count));
  }
}

// The texts as exec takes them, with a null pointer at the end.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// The status as a shell reports it. nullopt if the system has not kept it; errno says why.
std::optional<int> reap(pid_t pid) {
  int wait_status = 0;
  const pid_t got = repeat([&] { return ::waitpid(pid, &wait_status, 0); });
  return got == pid ? std::optional(status_of(wait_status)) : std::nullopt;
}

class Spawn {
 public:
  // `own_group` starts the program in its own process group, which on Linux ends even if SIGKILL ends this
  // process; otherwise it joins this one's group.
  explicit Spawn(bool own_group) : own_group_(own_group) {}

  // `end` must stay open until the program starts.
  void connect(const Descriptor& end, int fd) { connections_.emplace_back(end.get(), fd); }
  // Replaces the inherited environment; each text is "NAME=value".
  void use_environment(std::vector<std::string> environment) { environment_ = std::move(environment); }
  // Returns 0, or the error.
  int start(const std::vector<std::string>& argv, pid_t& pid) const {
    std::vector<std::string> words = argv;
    const std::vector<char*> pointers = pointers_to(words);
    std::vector<std::string> variables = environment_.value_or(std::vector<std::string>());
    std::vector<char*> environment = pointers_to(variables);
    Pipe failure;  // closed without a message when the program starts
    if (!failure.open()) return errno;
    Start start{this,       pointers.data(),    words.size(), environment_ ? environment.data() : environ,
                ::getpid(), failure.write.get()};
    const pid_t child = make_child(start);
    if (child < 0) return errno;
    failure.write.close();
    int error = 0;
    if (repeat([&] { return ::read(failure.read.get(), &error, sizeof error); }) != sizeof error) {
      pid = child;
      return 0;
    }
    reap(child);
    return error;
  }

 private:
  // What the child needs until the program starts.
  struct Start {
    const Spawn* spawn;
    char* const* argv;
    size_t words;  // of argv
    char** environment;
    pid_t parent;
    int report;  // an error is written here
  };

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // As posix_spawn does it, which has no PR_SET_PDEATHSIG: the child borrows this process's memory until
  // the program starts, because copying the page tables of a large process takes longer than most programs
  // run. No signal handler may run in the child. Sanitizers would take it for a thread of this process.
  static pid_t make_child(Start& start) {
    constexpr size_t kOwnCalls = size_t{64} << 10U;
    const size_t size =
        kOwnCalls + start.words * sizeof(char*);  // execvpe copies argv for a script without #!
    const auto stack = std::make_unique_for_overwrite<std::byte[]>(size);
    const auto run = [](void* data) -> int { become(*static_cast<const Start*>(data)); };
    const WithoutSignals inherited;
    return ::clone(run, stack.get() + size, CLONE_VM | CLONE_VFORK | SIGCHLD, &start);
  }

  static void execute(const Start& start) {
    ::execvpe(*start.argv, start.argv, start.environment);
  }
#else
  static pid_t make_child(Start& start) {
    const pid_t child = ::fork();
    if (child == 0) become(start);
    return child;
  }

  static void execute(const Start& start) {
    environ = start.environment;
    ::execvp(*start.argv, start.argv);
  }
#endif

  // Until the program starts, only async-signal-safe calls are allowed, as other threads may exist: no
  // allocation, no locks, and no change of memory that this process reads.
  [[noreturn]] static void become(const Start& start) {
    const int report = ::fcntl(start.report, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (start.spawn->prepare(start.parent)) execute(start);
    const int error = errno;
    if (::write(report, &error, sizeof error) != sizeof error) ::_exit(126);
    ::_exit(127);
  }

  bool prepare(pid_t parent) const {
    for (const auto& [from, to] : connections_) {
      if (from == to ? ::fcntl(from, F_SETFD, 0) != 0 : ::dup2(from, to) < 0) return false;
    }
    keep_open_until_start(STDERR_FILENO + 1);
    // The program must not inherit what this process blocks or ignores. With these two blocked, a group in
    // the background that reads from the terminal gets an error; otherwise it would be stopped, and never
    // end.
    sigset_t blocked;
    sigemptyset(&blocked);
    if (own_group_) {
      if (::setpgid(0, 0) != 0 || !end_with_parent()) return false;
      if (::getppid() != parent) ::_exit(127);  // the parent ended before the call above
      sigaddset(&blocked, SIGTTIN);
      sigaddset(&blocked, SIGTTOU);
    }
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    return ::sigaction(SIGPIPE, &usual, nullptr) == 0 && ::sigprocmask(SIG_SETMASK, &blocked, nullptr) == 0;
  }

  bool own_group_;
  std::vector<std::pair<int, int>> connections_;  // {descriptor of this process, of the program}
  std::optional<std::vector<std::string>> environment_;
};

enum class Ended { Itself, TooLate, Signal, TooLong };

// Waits for the program to end; reap() then returns its status. A program that closed its streams may still
// run. `signals` is a descriptor that is readable when a signal comes (SignalDescriptor), or -1.
Ended await_end(pid_t pid, std::optional<SteadyClock::time_point> deadline, int signals) {
  for (int pause = 1;; pause = std::min(2 * pause, 50)) {
    siginfo_t info{};
    const int got = ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT);
    if (got != 0 ? errno != EINTR : info.si_pid == pid) return Ended::Itself;
    if (deadline && SteadyClock::now() >= *deadline) return Ended::TooLate;
    pollfd ready{signals, POLLIN, 0};
    if (::poll(&ready, 1, pause) > 0) return Ended::Signal;
  }
}

// Ends the program, and what it has started if it leads a group: at once, or by `signal` with time to clean
// up.
void end_program(pid_t pid, bool leads_group, int signal) {
  const pid_t target = leads_group ? -pid : pid;
  ::kill(target, signal);
  if (signal != SIGKILL) {
    await_end(pid, SteadyClock::now() + std::chrono::seconds(2), -1);
    ::kill(target, SIGKILL);
  }
  reap(pid);
}

// Ignores SIGPIPE: a program that stops reading must not end this process.
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

// This process's environment with the requested changes.
std::vector<std::string> changed_environment(const ProcessRequest& request) {
  std::vector<std::string> all;
  for (char** at = environ; at && *at; ++at) {
    const std::string_view variable = *at;
    const std::string_view name = variable.substr(0, variable.find('='));
    const auto is_it = [&](const auto& change) { return change.first == name; };
    if (std::ranges::none_of(request.variables, is_it)) all.emplace_back(variable);
  }
  for (const auto& [name, value] : request.variables) {
    if (value) all.push_back(fmt::format("{}={}", name, *value));
  }
  return all;
}

struct Conversation {
  Pipe in;
  Pipe out;
  Pipe err;
  SignalDescriptor signals;  // signals that ask this process to end
};

// Runs until all streams are closed, the deadline passes, or a signal comes.
Ended converse(Conversation& pipes, const ProcessRequest& request,
               std::optional<SteadyClock::time_point> deadline, ProcessResult& result) {
  std::string_view input = request.input;
  if (input.empty()) pipes.in.write.close();
  while (pipes.in.write.is_open() || pipes.out.read.is_open() || pipes.err.read.is_open()) {
    // poll(2) skips negative descriptors.
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
    if (request.take_output && !result.out.empty()) {
      request.take_output(result.out);
      result.out.clear();
    }
    if (result.out.size() > kMostOutput || result.err.size() > kMostOutput) return Ended::TooLong;
  }
  return Ended::Itself;
}

// Reads what a program that was ended left in the pipe.
void take_rest(Descriptor& from, std::string& text) {
  constexpr int kMostBlocks = 16;  // blocks of drain(); a pipe of the usual size is one
  if (from.is_open()) ::fcntl(from.get(), F_SETFL, O_NONBLOCK);
  for (int block = 0; block < kMostBlocks && from.is_open(); ++block) {
    const size_t before = text.size();
    drain(from, text);
    if (text.size() == before) return;
  }
}

IoError why_ended(Ended ended, const ProcessRequest& request) {
  const std::string& program = request.argv.front();
  if (ended == Ended::Signal) return {fmt::format("run {}: interrupted", program)};
  if (ended == Ended::TooLong) return {fmt::format("run {}: it printed more than 1 GiB", program)};
  return {fmt::format("run {}: no answer within {} s", program,
                      std::chrono::ceil<std::chrono::seconds>(request.timeout).count())};
}

}  // namespace

std::vector<IoResult<ProcessResult>> ProcessRunner::run_all(std::span<const ProcessRequest> requests) {
  std::vector<IoResult<ProcessResult>> results;
  for (const ProcessRequest& request : requests) results.push_back(run(request));
  return results;
}

namespace {

// "running kustomize", whatever folder it is in.
std::string work_of(const ProcessRequest& request) {
  const std::string_view program = request.argv.front();
  return fmt::format("running {}", program.substr(program.rfind('/') + 1));
}

}  // namespace

std::vector<IoResult<ProcessResult>> RealProcessRunner::run_all(std::span<const ProcessRequest> requests) {
  if (requests.empty()) return {};
  const HeldSignals held;  // threads inherit the blocked signals
  const Work work(progress_, work_of(requests.front()), requests.size());
  std::vector<IoResult<ProcessResult>> results(requests.size(), ProcessResult{});
  parallel_for(requests.size(), 1, 0, [&](size_t index) {
    results[index] = run_one(requests[index]);
    work.step();
  });
  return results;
}

IoResult<ProcessResult> RealProcessRunner::run(const ProcessRequest& request) {
  // One that uses the terminal shows itself.
  const Work work(request.streams == Streams::Capture ? progress_ : nullptr, work_of(request), 0);
  return run_one(request);
}

IoResult<ProcessResult> RealProcessRunner::run_one(const ProcessRequest& request) {
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
  if (!request.variables.empty()) spawn.use_environment(changed_environment(request));
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
  Ended ended = converse(pipes, request, deadline, result);
  if (ended == Ended::Itself) ended = await_end(pid, deadline, pipes.signals.get());
  if (ended != Ended::Itself) {
    end_program(pid, captures, ended == Ended::Signal ? pending_signal(held.set()) : SIGKILL);
    take_rest(pipes.out.read, result.out);
    if (request.unfinished) *request.unfinished = std::move(result.out);
    return why_ended(ended, request);
  }
  const std::optional<int> status = reap(pid);
  if (!status) return failure(errno);
  result.status = *status;
  return result;
}

}  // namespace trainjobc::base
