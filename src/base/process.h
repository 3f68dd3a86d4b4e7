// SPDX-License-Identifier: Apache-2.0

// Runs other programs without a shell. Tests use a fake.
#pragma once

#include <cerrno>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files/file_system.h"
#include "base/progress.h"

namespace trainjobc::base {

enum class Streams {
  Capture,   // stdout and stderr come back in the result
  Terminal,  // inherited: for pagers, and diff programs that use the whole screen
};

// Gets a part of a program's output.
using TakeOutput = std::function<void(std::string_view part)>;

// Everything that a program's output depends on, besides the program itself and its standard input.
struct Dependencies {
  std::string call;  // its arguments, without the paths of files on this machine
  const FileSystem* files = nullptr;
  // The files that it reads: the names that it knows them by, and their paths; some may not exist.
  std::vector<std::pair<std::string, std::string>> read;
};

struct ProcessRequest {
  // The program, searched for in PATH unless it contains a slash, and its arguments.
  std::vector<std::string> argv;
  std::string input;  // all of its standard input
  Streams streams = Streams::Capture;
  std::chrono::milliseconds timeout{0};  // the program is killed after it; 0: no limit
  // Variables that are added to this process's environment or replace its own; nullopt removes one.
  std::vector<std::pair<std::string, std::optional<std::string>>> variables = {};
  // Gets what a captured program had printed to its standard output when the timeout or a signal ended it.
  std::string* unfinished = nullptr;
  // Gets the captured standard output as it comes, of which the result then has only what it did not get.
  TakeOutput take_output = {};
  // What the output depends on; nullptr if it may depend on anything.
  std::shared_ptr<const Dependencies> depends_on = nullptr;
};

struct ProcessResult {
  int status = 0;  // as in a shell: the exit status, or 128 + the signal that ended it
  std::string out;
  std::string err;
};

// Whether the program is not on the PATH.
inline bool is_missing(const IoResult<ProcessResult>& answer) {
  const auto* error = std::get_if<IoError>(&answer);
  return error && error->message.ends_with(std::generic_category().message(ENOENT));
}

// Whether the program was ended because a signal asked this process to end.
inline bool is_interrupted(const IoResult<ProcessResult>& answer) {
  const auto* error = std::get_if<IoError>(&answer);
  return error && error->message.ends_with(": interrupted");
}

class ProcessRunner {
 public:
  virtual ~ProcessRunner() = default;

  // An error if the program could not be started, did not end in time, or printed more than 1 GiB that nobody
  // takes. Anything else, including a failure of the program, is a result.
  virtual IoResult<ProcessResult> run(const ProcessRequest& request) = 0;
  // Runs several, concurrently if it can. The results are in the order of the requests.
  virtual std::vector<IoResult<ProcessResult>> run_all(std::span<const ProcessRequest> requests);
  // A runner that always runs the programs, and never answers from a cache.
  virtual ProcessRunner& without_cache() { return *this; }
  // Who is told that programs are running; nullptr: nobody.
  virtual void report_to(Progress* /*progress*/) {}
};

// The program inherits the environment and the three standard streams (both changed as asked), nothing else.
// A program whose output is captured leads a process group: the timeout, or a signal that ends this process
// (HeldSignals), also ends the programs that it has started.
class RealProcessRunner final : public ProcessRunner {
 public:
  IoResult<ProcessResult> run(const ProcessRequest& request) override;
  // Runs as many at a time as there are processors. This thread must be the only one.
  std::vector<IoResult<ProcessResult>> run_all(std::span<const ProcessRequest> requests) override;
  void report_to(Progress* progress) override { progress_ = progress; }

 private:
  static IoResult<ProcessResult> run_one(const ProcessRequest& request);

  Progress* progress_ = nullptr;
};

}  // namespace trainjobc::base
