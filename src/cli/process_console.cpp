#include "cli/process_console.h"

#include <unistd.h>

#include <cstdlib>

#include "base/write_all.h"

namespace trainjobc::cli {
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

bool ProcessConsole::write_stdout(std::string_view text) {
  return base::write_all(STDOUT_FILENO, text);
}

void ProcessConsole::write_stderr(std::string_view text) {
  static_cast<void>(base::write_all(STDERR_FILENO, text));
}

}  // namespace trainjobc::cli
