// Where a command reads and writes: the process's streams, or strings in tests.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "base/file_system.h"

namespace trainjobc::cli {

enum class ColourChoice { Auto, Always, Never };

// What a command may use of the world. Not copied: a command gets a reference.
class Console {
 public:
  virtual ~Console() = default;

  virtual base::FileSystem& files() = 0;
  // All of standard input, read once.
  virtual base::IoResult<std::string> read_stdin() = 0;
  virtual bool stdin_is_terminal() const = 0;
  virtual bool stdout_is_terminal() const = 0;
  virtual bool stderr_is_terminal() const = 0;
  // "" where the variable is not set.
  virtual std::string environment(const char* name) const = 0;
  // False where not everything could be written.
  virtual bool write_stdout(std::string_view text) = 0;
  virtual void write_stderr(std::string_view text) = 0;
};

// Whether to colour what goes to a stream: the flag beats NO_COLOR beats CLICOLOR_FORCE beats the terminal.
bool use_colour(ColourChoice choice, const Console& console, bool is_terminal);

// "trainjobc: <message>" on stderr; returns kFailed.
int fail(Console& console, std::string_view message);

}  // namespace trainjobc::cli
