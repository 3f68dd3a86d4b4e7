// SPDX-License-Identifier: Apache-2.0

// The console of a real process.
#pragma once

#include "cli/output/console.h"

namespace trainjobc::cli {

class ProcessConsole final : public Console {
 public:
  base::FileSystem& files() override { return files_; }
  base::IoResult<std::string> read_stdin() override;
  bool stdin_is_terminal() const override;
  bool stdout_is_terminal() const override;
  bool stderr_is_terminal() const override;
  std::string environment(const char* name) const override;
  size_t stdout_width() const override;
  size_t stderr_width() const override;
  bool send_stdout(std::string_view text) override;
  void send_stderr(std::string_view text) override;

 private:
  base::RealFileSystem files_;
};

}  // namespace trainjobc::cli
