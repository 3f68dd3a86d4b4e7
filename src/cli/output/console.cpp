// SPDX-License-Identifier: Apache-2.0

#include "cli/output/console.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/layout.h"
#include "base/text/lines.h"
#include "cli/exit_status.h"

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

}  // namespace trainjobc::cli
