// SPDX-License-Identifier: Apache-2.0

// The parts of running another program: pipes, its start, its end.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/files/descriptor.h"

namespace trainjobc::base {

struct Pipe {
  Descriptor read;
  Descriptor write;

  bool open();
};

// Appends what is available to `text`; closes the pipe at its end.
void drain(Descriptor& from, std::string& text);

class Spawn {
 public:
  // In a process group of its own, which on Linux ends even if SIGKILL ends this process; or in this one's
  // group.
  explicit Spawn(bool own_group) : own_group_(own_group) {}

  // `end` must stay open until the start.
  void connect(const Descriptor& end, int fd) { connections_.emplace_back(end.get(), fd); }
  // 0, or the error.
  int start(const std::vector<std::string>& argv, pid_t& pid) const;

 private:
  // In the new process.
  [[noreturn]] void become(char* const* argv, pid_t parent, int report) const;
  bool prepare(pid_t parent) const;

  bool own_group_;
  std::vector<std::pair<int, int>> connections_;  // of this process, of the program
};

enum class Ended { Itself, TooLate, Signal };

// Waits for the program to end; reap() then returns its status. A program that closed its streams may still
// run. `signals` is a descriptor that is readable when a signal comes (SignalDescriptor), or -1.
Ended await_end(pid_t pid, std::optional<std::chrono::steady_clock::time_point> deadline, int signals);

// As in a shell. nullopt if the system has not kept the status; errno says why.
std::optional<int> reap(pid_t pid);

// Ends the program, and what it has started if it leads a group: at once, or by `signal` with time to clean
// up.
void end_program(pid_t pid, bool leads_group, int signal);

}  // namespace trainjobc::base
