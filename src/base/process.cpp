#include "base/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <string_view>
#include <system_error>

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
  Spawn() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    // What this process blocks or ignores is not the program's business.
    sigset_t none;
    sigemptyset(&none);
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &pipe);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
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
};

// False: time ran out.
bool converse(Conversation& pipes, std::string_view input, std::optional<Clock::time_point> deadline,
              ProcessResult& result) {
  if (input.empty()) pipes.in.write.close();
  while (pipes.in.write.is_open() || pipes.out.read.is_open() || pipes.err.read.is_open()) {
    // poll passes over negative descriptors.
    std::array<pollfd, 3> ready{pollfd{pipes.in.write.get(), POLLOUT, 0},
                                pollfd{pipes.out.read.get(), POLLIN, 0},
                                pollfd{pipes.err.read.get(), POLLIN, 0}};
    int wait = -1;
    if (deadline) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(*deadline - Clock::now()).count();
      if (left <= 0) return false;
      wait = static_cast<int>(std::min<int64_t>(left, 60'000));
    }
    if (::poll(ready.data(), ready.size(), wait) <= 0) continue;
    if (ready[0].revents != 0) feed(pipes.in.write, input);
    if (ready[1].revents != 0) drain(pipes.out.read, result.out);
    if (ready[2].revents != 0) drain(pipes.err.read, result.err);
  }
  return true;
}

int status_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

// Waits for the end; a program that closed its streams may still run. False: time ran out.
bool reap(pid_t pid, std::optional<Clock::time_point> deadline, int& wait_status) {
  while (true) {
    const pid_t got = ::waitpid(pid, &wait_status, deadline ? WNOHANG : 0);
    if (got == pid) return true;
    if (got < 0 && errno != EINTR) return true;
    if (deadline && Clock::now() >= *deadline) return false;
    if (deadline) ::poll(nullptr, 0, 10);
  }
}

}  // namespace

IoResult<ProcessResult> RealProcessRunner::run(const ProcessRequest& request) {
  const std::string& program = request.argv.front();
  const auto failure = [&](int error) {
    return IoError{fmt::format("run {}: {}", program, std::generic_category().message(error))};
  };
  const bool captures = request.streams == Streams::Capture;
  Conversation pipes;
  if (!pipes.in.open() || (captures && (!pipes.out.open() || !pipes.err.open()))) return failure(errno);
  Spawn spawn;
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
  int wait_status = 0;
  if (!converse(pipes, request.input, deadline, result) || !reap(pid, deadline, wait_status)) {
    ::kill(pid, SIGKILL);
    reap(pid, std::nullopt, wait_status);
    return IoError{fmt::format("run {}: no answer within {} s", program,
                               std::chrono::duration_cast<std::chrono::seconds>(request.timeout).count())};
  }
  result.status = status_of(wait_status);
  return result;
}

}  // namespace trainjobc::base
