// SPDX-License-Identifier: Apache-2.0

#include "cli/output/process_console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include "base/files/write_all.h"

namespace trainjobc::cli {
namespace {

size_t width_of(int stream) {
  constexpr size_t kUnknown = 80;  // if a terminal doesn't report its width
  if (::isatty(stream) == 0) return 0;
  winsize size{};
  return ::ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUnknown;
}

}  // namespace

base::IoResult<std::string> ProcessConsole::read_stdin() {
  return base::read_all(STDIN_FILENO, "standard input");
}

bool ProcessConsole::stdin_is_terminal() const {
  return ::isatty(STDIN_FILENO) != 0;
}
bool ProcessConsole::stdout_is_terminal() const {
  return ::isatty(STDOUT_FILENO) != 0;
}
bool ProcessConsole::stderr_is_terminal() const {
  return ::isatty(STDERR_FILENO) != 0;
}

std::string ProcessConsole::environment(const char* name) const {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing sets variables
  return value ? value : "";
}

size_t ProcessConsole::stdout_width() const {
  return width_of(STDOUT_FILENO);
}
size_t ProcessConsole::stderr_width() const {
  return width_of(STDERR_FILENO);
}

bool ProcessConsole::send_stdout(std::string_view text) {
  return base::write_all(STDOUT_FILENO, text);
}

void ProcessConsole::send_stderr(std::string_view text) {
  static_cast<void>(base::write_all(STDERR_FILENO, text));
}

}  // namespace trainjobc::cli
