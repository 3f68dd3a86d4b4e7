// What running other programs needs: pipes, a program's start, its end.
#pragma once

#include <spawn.h>
#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "base/files/descriptor.h"

namespace trainjobc::base {

struct Pipe {
  Descriptor read;
  Descriptor write;

  bool open();
};

// Adds what is ready to `text`; an end that is through is closed.
void drain(Descriptor& from, std::string& text);

class Spawn {
 public:
  // In a process group of its own, or in this one.
  explicit Spawn(bool own_group);
  ~Spawn();
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;

  void connect(const Descriptor& end, int fd);
  // 0, or the error.
  int start(const std::vector<std::string>& argv, pid_t& pid);

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

enum class Ended { Itself, TooLate, Signal };

// Waits for the end, which reap then tells; a program that closed its streams may still run. `signals` is a
// signalfd, or closed.
Ended await_end(pid_t pid, std::optional<std::chrono::steady_clock::time_point> deadline,
                const Descriptor& signals);

// As a shell counts. nullopt, and errno says why: the system has not kept the status.
std::optional<int> reap(pid_t pid);

// The first of the signals that waits; 0 for none.
int pending_signal(const sigset_t& held);

// Ends the program, and what it has started if it leads a group: at once, or by `signal` with time to obey.
void end_program(pid_t pid, bool leads_group, int signal);

}  // namespace trainjobc::base
