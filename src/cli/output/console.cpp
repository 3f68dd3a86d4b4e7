#include "cli/output/console.h"

#include <fmt/format.h>

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

}  // namespace

bool use_colour(ColourChoice choice, Console& console, bool is_terminal) {
  const bool wanted = wants_colour(choice, console, is_terminal);
  if (wanted) console.allow_colours();
  return wanted;
}

int fail(Console& console, std::string_view message) {
  console.write_stderr(fmt::format("trainjobc: {}\n", message));
  return kFailed;
}

}  // namespace trainjobc::cli
