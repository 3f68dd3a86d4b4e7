// SPDX-License-Identifier: Apache-2.0

// Programs that run in parallel and whose output is read while they run. Tests use fakes.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/process.h"

namespace trainjobc::base {

struct ProcessNews {
  enum class Kind {
    Nothing,      // before the timeout
    Output,       // a program wrote to its standard output
    Ended,        // a program ended; all of its output has been reported
    Interrupted,  // a signal asks this process to end
  };
  Kind kind = Kind::Nothing;
  size_t program = 0;    // of Output and Ended
  std::string output;    // of Output: what is available, which may end in the middle of a line
  ProcessResult result;  // of Ended: status and standard error
  int signal = 0;        // of Interrupted
};

class ProcessReader {
 public:
  virtual ~ProcessReader() = default;

  // Starts a program with an empty standard input. Returns its number, which is never reused.
  virtual IoResult<size_t> start(const std::vector<std::string>& argv) = 0;
  // Waits for the next event.
  virtual ProcessNews next(std::chrono::milliseconds timeout) = 0;
};

// Each program leads a process group. Programs that still run are ended with the reader. While it exists,
// this thread must be the only one: signals that ask this process to end are events, and take effect when the
// reader is destroyed.
std::unique_ptr<ProcessReader> make_process_reader();

}  // namespace trainjobc::base
