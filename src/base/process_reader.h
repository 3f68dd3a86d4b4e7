// Programs that run side by side and are read as they write: the real ones, or played ones in tests.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/process.h"

namespace trainjobc::base {

struct ProcessNews {
  enum class Kind {
    Nothing,      // in the time given
    Output,       // a program wrote to its standard output
    Ended,        // a program ended; all that it wrote has been told
    Interrupted,  // a signal asks this process to end
  };
  Kind kind = Kind::Nothing;
  size_t program = 0;    // of Output and Ended
  std::string output;    // of Output: whatever came at once, which may end anywhere
  ProcessResult result;  // of Ended: status and standard error
  int signal = 0;        // of Interrupted
};

class ProcessReader {
 public:
  virtual ~ProcessReader() = default;

  // Starts a program with nothing on its standard input. The number is never given again.
  virtual IoResult<size_t> start(const std::vector<std::string>& argv) = 0;
  // What comes next, waited for that long.
  virtual ProcessNews next(std::chrono::milliseconds timeout) = 0;
};

// Each program leads a process group; those that still run end with the reader. While there is one, this
// thread must be the only one: signals that ask this process to end are news, and take effect when the reader
// goes.
std::unique_ptr<ProcessReader> make_process_reader();

}  // namespace trainjobc::base
