// SPDX-License-Identifier: Apache-2.0

#include "cli/console.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/files/descriptor.h"
#include "base/text/layout.h"
#include "base/text/text.h"

namespace trainjobc::cli {

namespace {

bool wants_colour(ColourChoice choice, const Console& console, bool is_terminal) {
  if (choice != ColourChoice::Auto) return choice == ColourChoice::Always;
  if (!console.environment("NO_COLOR").empty()) return false;
  const std::string force = console.environment("CLICOLOR_FORCE");
  if (!force.empty() && force != "0") return true;
  return is_terminal && console.environment("TERM") != "dumb";
}

void write_lines(Console& console, std::string_view text) {
  constexpr size_t kIndent = 4;
  std::string out;
  for (const std::string_view line : base::Lines(text))
    out += base::wrap(line, console.stderr_width(), kIndent) + "\n";
  console.write_stderr(out);
}

}  // namespace

bool Console::write_stdout(std::string_view text) {
  constexpr size_t kAtOnce = size_t{1} << 20U;
  if (base::is_plain(text, {.colours = has_colours_})) return send_stdout(text);
  while (text.size() > kAtOnce) {
    const size_t end = std::min(text.find('\n', kAtOnce), text.size() - 1) + 1;
    if (!send_stdout(readable(text.substr(0, end)))) return false;
    text.remove_prefix(end);
  }
  return send_stdout(readable(text));
}

std::string cache_folder(const Console& console) {
  const std::string own = console.environment("XDG_CACHE_HOME");
  if (own.starts_with('/')) return own + "/trainjobc";
  const std::string home = console.environment("HOME");
  return home.starts_with('/') ? home + "/.cache/trainjobc" : "";
}

bool use_colour(ColourChoice choice, Console& console, bool is_terminal) {
  const bool wanted = wants_colour(choice, console, is_terminal);
  if (wanted) console.allow_colours();
  return wanted;
}

void note(Console& console, std::string_view message) {
  write_lines(console, fmt::format("note: {}", message));
}

int fail(Console& console, std::string_view message) {
  write_lines(console, fmt::format("trainjobc: {}", message));
  return kFailed;
}

int print_text(Console& console, std::string_view text, int status) {
  return console.write_stdout(text) ? status : fail(console, "can't write the output");
}

int print_manifests(Console& console, std::string_view text, int status) {
  return console.write_manifests(text) ? status : fail(console, "can't write the output");
}

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

// Reads single bytes, so that nothing after the line is consumed.
std::optional<std::string> ProcessConsole::read_line() {
  std::string line;
  char c = 0;
  ssize_t size = 0;
  while ((size = ::read(STDIN_FILENO, &c, 1)) != 0) {
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return std::nullopt;
    if (c == '\n') return line;
    line += c;
  }
  return line.empty() ? std::nullopt : std::optional(line);
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

namespace {

constexpr size_t kMostLines = 12;
constexpr std::string_view kLineUp = "\033[A";

}  // namespace

ProgressBlock::ProgressBlock(Console& console)
    : console_(console),
      silent_(console.progress(), "", 0),
      width_(console.stderr_is_terminal() ? console.stderr_width() : 0) {}

void ProgressBlock::show(std::vector<std::string> lines) {
  if (!is_shown()) return;
  if (lines.size() > kMostLines) {
    const size_t rest = lines.size() - kMostLines + 1;
    lines.resize(kMostLines - 1);
    lines.push_back(fmt::format("… and {} more", rest));
  }
  // A line that fills the last column would wrap.
  for (std::string& line : lines) line = base::cut(base::one_line(line), width_ - 1);
  if (lines == shown_) return;
  if (lines.size() < shown_.size()) clear();
  for (size_t i = 1; i < shown_.size(); ++i) console_.send_stderr(kLineUp);
  for (const std::string& line : lines) {
    if (&line != &lines.front()) console_.send_stderr("\n");
    console_.write_progress(line);
  }
  shown_ = std::move(lines);
}

void ProgressBlock::clear() {
  for (size_t i = 1; i < shown_.size(); ++i) {
    console_.write_progress("");
    console_.send_stderr(kLineUp);
  }
  if (!shown_.empty()) console_.write_progress("");
  shown_.clear();
}

}  // namespace trainjobc::cli
