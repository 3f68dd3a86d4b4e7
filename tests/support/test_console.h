// SPDX-License-Identifier: Apache-2.0

// A console that records its output, and runs of the command line with it.
#pragma once

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/console.h"

namespace trainjobc::test {

// Has no program.
class NoPrograms final : public base::ProcessRunner {
 public:
  base::IoResult<base::ProcessResult> run(const base::ProcessRequest& request) override {
    return base::io_error("run", request.argv[0], ENOENT);
  }
};

class TestConsole final : public cli::Console {
 public:
  explicit TestConsole(base::FileSystem& files) : files_(files) {}

  std::string in;
  std::string out;
  std::string err;
  std::map<std::string, std::string> variables;
  bool terminal = false;
  size_t width = 80;  // of the terminal
  bool full = false;  // writing to stdout fails

  base::ProcessRunner* programs = nullptr;  // nullptr: there are none

  base::FileSystem& files() override { return files_; }
  base::ProcessRunner& processes() override { return programs ? *programs : none_; }
  base::IoResult<std::string> read_stdin() override { return in; }
  std::optional<std::string> read_line() override {
    if (in.empty()) return std::nullopt;
    const size_t end = std::min(in.find('\n'), in.size());
    const std::string line = in.substr(0, end);
    in.erase(0, end + 1);
    return line;
  }
  bool stdin_is_terminal() const override { return terminal; }
  bool stdout_is_terminal() const override { return terminal; }
  bool stderr_is_terminal() const override { return terminal; }
  std::string environment(const char* name) const override {
    const auto found = variables.find(name);
    return found != variables.end() ? found->second : "";
  }
  size_t stdout_width() const override { return terminal ? width : 0; }
  size_t stderr_width() const override { return terminal ? width : 0; }

 private:
  bool send_stdout(std::string_view text) override {
    out += text;
    return !full;
  }
  void send_stderr(std::string_view text) override { err += text; }

  base::FileSystem& files_;
  NoPrograms none_;
};

struct Run {
  int status = 0;
  std::string out;
  std::string err;
};

inline Run run(base::FileSystem& files, const std::vector<std::string>& arguments,
               const std::map<std::string, std::string>& variables = {}, const std::string& in = "") {
  TestConsole console(files);
  console.in = in;
  console.variables = variables;
  const int status = cli::run(arguments, console);
  return {status, console.out, console.err};
}

// Without settings files.
inline Run lint(base::FileSystem& files, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"lint", "--no-config"});
  return run(files, arguments);
}

}  // namespace trainjobc::test
