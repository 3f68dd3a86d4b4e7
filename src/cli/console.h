// SPDX-License-Identifier: Apache-2.0

// The input and output of a command: the process's streams, or strings in tests.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "base/files/file_system.h"
#include "base/process.h"
#include "base/text/printable.h"

namespace trainjobc::cli {

// Exit statuses of the commands.
inline constexpr int kOk = 0;
inline constexpr int kRejected = 1;  // an input was rejected, or lint has findings
inline constexpr int kFailed = 2;    // usage or I/O

enum class ColourChoice { Auto, Always, Never };

// What a command uses of its environment. Not copyable: commands get a reference.
class Console {
 public:
  virtual ~Console() = default;

  virtual base::FileSystem& files() = 0;
  // Runs other programs.
  virtual base::ProcessRunner& processes() = 0;
  // All of standard input, read once.
  virtual base::IoResult<std::string> read_stdin() = 0;
  // The next line of standard input without its end; nullopt if there is none.
  virtual std::optional<std::string> read_line() { return std::nullopt; }
  virtual bool stdin_is_terminal() const = 0;
  virtual bool stdout_is_terminal() const = 0;
  virtual bool stderr_is_terminal() const = 0;
  // "" if the variable is not set.
  virtual std::string environment(const char* name) const = 0;
  // The number of columns if standard output or standard error is a terminal; otherwise 0.
  virtual size_t stdout_width() const = 0;
  virtual size_t stderr_width() const = 0;
  // Who shows how far long work is; nullptr if nobody does.
  virtual base::Progress* progress() { return nullptr; }

  // Text for people, without escape sequences other than our own colours. False if not everything could be
  // written.
  bool write_stdout(std::string_view text);
  void write_stderr(std::string_view text) { send_stderr(readable(text)); }
  // Manifests, byte for byte.
  bool write_manifests(std::string_view text) { return send_stdout(text); }
  // Workflow commands for GitHub.
  bool write_commands(std::string_view text) {
    return send_stdout(base::printable(text, {.commands = true}));
  }
  // A line of a terminal that the next one overwrites; "" clears it.
  void write_progress(std::string_view line) {
    send_stderr("\r\033[K");
    send_stderr(base::one_line(line));
  }
  // The text that write_stdout would send, for a pager.
  std::string readable(std::string_view text) const {
    return base::printable(text, {.colours = has_colours_});
  }
  // From now on, colours in texts are kept, since they are ours.
  void allow_colours() { has_colours_ = true; }

  // Sends the bytes unchanged. For the functions above, and for a console that wraps another.
  virtual bool send_stdout(std::string_view text) = 0;
  virtual void send_stderr(std::string_view text) = 0;

 private:
  bool has_colours_ = false;
};

// Where trainjobc keeps files that it can make again; "" if that is unknown.
std::string cache_folder(const Console& console);

// Whether to colour a stream: the flag, otherwise NO_COLOR, otherwise CLICOLOR_FORCE, otherwise whether it is
// a terminal.
bool use_colour(ColourChoice choice, Console& console, bool is_terminal);

// Prints "note: <message>" to stderr, with lines broken between words at the terminal's width.
void note(Console& console, std::string_view message);

// Prints "trainjobc: <message>" likewise; returns kFailed.
int fail(Console& console, std::string_view message);

// Returns the value; nullopt after printing the error, with `lead` before its text.
template <class T>
std::optional<T> got(Console& console, base::IoResult<T> result, const std::string& lead = "") {
  if (auto* value = std::get_if<T>(&result)) return std::move(*value);
  fail(console, lead + std::get<base::IoError>(result).message);
  return std::nullopt;
}

// Prints the whole text and returns `status`; kFailed after an error.
int print_text(Console& console, std::string_view text, int status = kOk);
int print_manifests(Console& console, std::string_view text, int status = kOk);

// Another console, some of whose functions a derived class replaces.
class WrappedConsole : public Console {
 public:
  explicit WrappedConsole(Console& outer) : outer_(outer) {}

  base::FileSystem& files() override { return outer_.files(); }
  base::ProcessRunner& processes() override { return outer_.processes(); }
  base::IoResult<std::string> read_stdin() override { return outer_.read_stdin(); }
  std::optional<std::string> read_line() override { return outer_.read_line(); }
  bool stdin_is_terminal() const override { return outer_.stdin_is_terminal(); }
  bool stdout_is_terminal() const override { return outer_.stdout_is_terminal(); }
  bool stderr_is_terminal() const override { return outer_.stderr_is_terminal(); }
  std::string environment(const char* name) const override { return outer_.environment(name); }
  size_t stdout_width() const override { return outer_.stdout_width(); }
  size_t stderr_width() const override { return outer_.stderr_width(); }
  base::Progress* progress() override { return outer_.progress(); }
  bool send_stdout(std::string_view text) override { return outer_.send_stdout(text); }
  void send_stderr(std::string_view text) override { outer_.send_stderr(text); }

 private:
  Console& outer_;
};

// The console of a real process.

class ProcessConsole final : public Console {
 public:
  base::FileSystem& files() override { return files_; }
  base::ProcessRunner& processes() override { return processes_; }
  base::IoResult<std::string> read_stdin() override;
  std::optional<std::string> read_line() override;
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
  base::RealProcessRunner processes_;
};

// Lines of a terminal that are overwritten. Prints nothing if there is no terminal.

class ProgressBlock {
 public:
  explicit ProgressBlock(Console& console);
  ~ProgressBlock() { clear(); }
  ProgressBlock(const ProgressBlock&) = delete;
  ProgressBlock& operator=(const ProgressBlock&) = delete;

  bool is_shown() const { return width_ > 0; }
  // Replaces the previous lines. If the terminal is too small, lines are left out and counted.
  void show(std::vector<std::string> lines);
  // Must be called before other output.
  void clear();

 private:
  Console& console_;
  base::Work silent_;  // it says itself how far the work is
  size_t width_ = 0;
  std::vector<std::string> shown_;
};

}  // namespace trainjobc::cli
