// Other programs, run without a shell: the real ones, or a fake's answers in tests.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/files/file_system.h"

namespace trainjobc::base {

enum class Streams {
  Capture,   // stdout and stderr come back in the result
  Terminal,  // both are this process's own: pagers, diff programs with a screen of their own
};

struct ProcessRequest {
  // The program, looked for in PATH unless it holds a slash, and its arguments. No shell reads them.
  std::vector<std::string> argv;
  std::string input;  // all of its standard input
  Streams streams = Streams::Capture;
  std::chrono::milliseconds timeout{0};  // then it is killed; 0: never
};

struct ProcessResult {
  int status = 0;  // as a shell counts: the exit status, or 128 + the signal that ended it
  std::string out;
  std::string err;
};

class ProcessReader;

class ProcessRunner {
 public:
  virtual ~ProcessRunner() = default;

  // An error if the program could not be started or did not end in time; whatever it says itself is a
  // result.
  virtual IoResult<ProcessResult> run(const ProcessRequest& request) = 0;

  // For programs that run side by side and are read as they write.
  virtual std::unique_ptr<ProcessReader> make_reader() = 0;
};

// The program inherits the environment and the three standard streams (replaced as asked), nothing else.
// One whose output is captured leads a process group: what ends it, the timeout or a signal that ends this
// process (HeldSignals), ends the programs that it has started too.
class RealProcessRunner final : public ProcessRunner {
 public:
  IoResult<ProcessResult> run(const ProcessRequest& request) override;
  std::unique_ptr<ProcessReader> make_reader() override;
};

}  // namespace trainjobc::base
