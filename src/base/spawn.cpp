#include "base/spawn.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace trainjobc::base {
namespace {

using Clock = std::chrono::steady_clock;

int status_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

}  // namespace

bool Pipe::open() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  read.open(ends[0]);
  write.open(ends[1]);
  return true;
}

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

Spawn::Spawn(bool own_group) {
  ::posix_spawn_file_actions_init(&actions_);
  ::posix_spawnattr_init(&attributes_);
  // What this process blocks or ignores is not the program's business. A group in the background that asks at
  // the terminal is refused with these two blocked; else it would be stopped, and never end.
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

Spawn::~Spawn() {
  ::posix_spawn_file_actions_destroy(&actions_);
  ::posix_spawnattr_destroy(&attributes_);
}

void Spawn::connect(const Descriptor& end, int fd) {
  ::posix_spawn_file_actions_adddup2(&actions_, end.get(), fd);
}

int Spawn::start(const std::vector<std::string>& argv, pid_t& pid) {
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

Ended await_end(pid_t pid, std::optional<Clock::time_point> deadline, const Descriptor& signals) {
  for (int pause = 1;; pause = std::min(2 * pause, 50)) {
    siginfo_t info{};
    const int got = ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT);
    if (got != 0 ? errno != EINTR : info.si_pid == pid) return Ended::Itself;
    if (deadline && Clock::now() >= *deadline) return Ended::TooLate;
    pollfd ready{signals.get(), POLLIN, 0};
    if (::poll(&ready, 1, pause) > 0) return Ended::Signal;
  }
}

std::optional<int> reap(pid_t pid) {
  int wait_status = 0;
  pid_t got = 0;
  do {
    got = ::waitpid(pid, &wait_status, 0);
  } while (got < 0 && errno == EINTR);
  return got == pid ? std::optional(status_of(wait_status)) : std::nullopt;
}

int pending_signal(const sigset_t& held) {
  sigset_t pending;
  ::sigpending(&pending);
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) {
    if (sigismember(&held, signal) == 1 && sigismember(&pending, signal) == 1) return signal;
  }
  return 0;
}

void end_program(pid_t pid, bool leads_group, int signal) {
  const pid_t target = leads_group ? -pid : pid;
  ::kill(target, signal);
  if (signal != SIGKILL) {
    await_end(pid, Clock::now() + std::chrono::seconds(2), Descriptor());
    ::kill(target, SIGKILL);
  }
  reap(pid);
}

}  // namespace trainjobc::base
