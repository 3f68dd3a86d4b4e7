// SPDX-License-Identifier: Apache-2.0

#include "cli/help/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace trainjobc::cli {
namespace {

constexpr size_t kWidest = 88;
constexpr size_t kColumn = 30;  // where descriptions begin
constexpr size_t kNarrowest = kColumn + 20;

size_t width_on(size_t terminal) {
  return terminal == 0 ? kWidest : std::clamp(terminal, kNarrowest, kWidest);
}

// The left side in its column, or on a line of its own if it is too long.
std::string row(const std::string& left, const std::string& description, size_t width) {
  std::string out = "  " + left;
  if (out.size() + 2 > kColumn) {
    out += "\n" + std::string(kColumn, ' ');
  } else {
    out.resize(kColumn, ' ');
  }
  return out + fill(description, width - kColumn, kColumn) + "\n";
}

std::string flag_row(const Flag& flag, size_t width) {
  const bool short_one = !flag.names.front().starts_with("--");
  std::string left = flag.positional || short_one ? "" : "    ";
  left += fmt::format("{}", fmt::join(flag.names, ", "));
  if (!flag.positional && !flag.value.empty()) left += " " + flag.value_text();
  const std::string text = flag.default_value.empty()
                               ? flag.description
                               : fmt::format("{} [{}]", flag.description, flag.default_value);
  return row(left, text, width);
}

std::string section(const std::string& title, const std::string& rows) {
  return rows.empty() ? "" : fmt::format("\n{}:\n{}", title, rows);
}

// A longer command continues on the next line, with a backslash for the shell.
std::string example(std::string_view line, size_t width) {
  if (line.size() <= width) return std::string(line);
  std::string out;
  size_t column = 0;
  bool in_quotes = false;
  for (size_t at = 0; at < line.size();) {
    const size_t begin = line.find_first_not_of(' ', at);
    const size_t end = std::min(line.find(' ', begin), line.size());
    const std::string_view word = line.substr(at, end - at);  // with the spaces before it
    const bool breaks = column > 2 && !in_quotes && column + word.size() + 2 > width;
    if (breaks) out += " \\\n     ";
    out += word;
    column = (breaks ? 5 : column) + word.size();
    if (std::ranges::count(word, '\'') % 2 != 0) in_quotes = !in_quotes;
    at = end;
  }
  return out;
}

// Paragraphs, exit statuses and examples, each with an empty line above.
std::string below_flags(const Command& command, size_t width) {
  std::string out;
  for (const std::string& paragraph : command.details) out += "\n" + fill(paragraph, width, 0) + "\n";
  std::vector<std::string> statuses;
  for (const ExitStatus& exit : command.exit_statuses)
    statuses.push_back(fmt::format("{} {}", exit.status, exit.meaning));
  if (!statuses.empty())
    out += "\n" + fill(fmt::format("Exit status: {}.", fmt::join(statuses, ", ")), width, 0) + "\n";
  if (!command.examples.empty()) out += "\nExamples:\n";
  for (const std::string& one : command.examples) out += example("  " + one, width) + "\n";
  return out;
}

}  // namespace

std::string fill(std::string_view text, size_t width, size_t indent) {
  std::string out;
  size_t column = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (column > 0 && column + 1 + word.size() > width) {
      out += "\n" + std::string(indent, ' ');
      column = 0;
    }
    if (column > 0) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    at = end + 1;
  }
  return out;
}

namespace {

std::string command_rows(const Command& command, size_t width) {
  std::string rows;
  for (const Command& sub : command.commands) rows += row(sub.name, sub.summary, width);
  return rows;
}

std::string opening(const Command& command, size_t width) {
  return fmt::format("{}\n\nUsage: {}\n", fill(command.summary, width, 0), command.usage());
}

}  // namespace

std::string short_help(const Command& command, size_t terminal) {
  const size_t width = width_on(terminal);
  return fmt::format(
      "{}{}\n{}\n", opening(command, width), section("Commands", command_rows(command, width)),
      fill(fmt::format("Run \"{0} --help\" or \"{0} COMMAND --help\" for more.", command.full_name()), width,
           0));
}

std::string help_text(const Command& command, size_t terminal) {
  const size_t width = width_on(terminal);
  std::string inputs;
  std::string flags;
  for (const Flag& flag : command.flags) (flag.positional ? inputs : flags) += flag_row(flag, width);
  return opening(command, width) + section("Commands", command_rows(command, width)) +
         section("Inputs", inputs) + section("Flags", flags) + below_flags(command, width);
}

}  // namespace trainjobc::cli
