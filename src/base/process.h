// SPDX-License-Identifier: Apache-2.0

// Runs other programs without a shell. Tests use a fake.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/files/descriptor.h"
#include "base/files/file_system.h"

namespace trainjobc::base {

// The parts of running another program: pipes, its start, its end.

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
  // Instead of this process's environment: "NAME=value".
  void use_environment(std::vector<std::string> environment) { environment_ = std::move(environment); }
  // 0, or the error.
  int start(const std::vector<std::string>& argv, pid_t& pid) const;

 private:
  // In the new process.
  [[noreturn]] void become(char* const* argv, char** environment, pid_t parent, int report) const;
  bool prepare(pid_t parent) const;

  bool own_group_;
  std::vector<std::pair<int, int>> connections_;  // of this process, of the program
  std::optional<std::vector<std::string>> environment_;
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

enum class Streams {
  Capture,   // stdout and stderr come back in the result
  Terminal,  // inherited: for pagers, and diff programs that use the whole screen
};

struct ProcessRequest {
  // The program, searched for in PATH unless it contains a slash, and its arguments. No shell is involved.
  std::vector<std::string> argv;
  std::string input;  // all of its standard input
  Streams streams = Streams::Capture;
  std::chrono::milliseconds timeout{0};  // after which it is killed; 0: never
  // Variables that it gets instead of, or besides, those of this process; nullopt: it doesn't get that one.
  std::vector<std::pair<std::string, std::optional<std::string>>> variables = {};
};

struct ProcessResult {
  int status = 0;  // as in a shell: the exit status, or 128 + the signal that ended it
  std::string out;
  std::string err;
};

class ProcessRunner {
 public:
  virtual ~ProcessRunner() = default;

  // An error if the program could not be started or did not end in time. Anything else, including a failure
  // of the program, is a result.
  virtual IoResult<ProcessResult> run(const ProcessRequest& request) = 0;
  // Several at the same time, if it can. The results are in the order of the requests.
  virtual std::vector<IoResult<ProcessResult>> run_all(std::span<const ProcessRequest> requests);
};

// The program inherits the environment and the three standard streams (both changed as asked), nothing else. A
// program whose output is captured leads a process group: the timeout, or a signal that ends this process
// (HeldSignals), also ends the programs that it has started.
class RealProcessRunner final : public ProcessRunner {
 public:
  IoResult<ProcessResult> run(const ProcessRequest& request) override;
  // As many at a time as there are processors. This thread must be the only one.
  std::vector<IoResult<ProcessResult>> run_all(std::span<const ProcessRequest> requests) override;
};

}  // namespace trainjobc::base
