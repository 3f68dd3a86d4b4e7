// SPDX-License-Identifier: Apache-2.0

#include "cli/help/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/text/lines.h"
#include "cli/command_tree.h"

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

std::string flag_row(const FlagText& flag, size_t width) {
  const bool short_one = !flag.names.front().starts_with("--");
  std::string left = flag.positional || short_one ? "" : "    ";
  left += fmt::format("{}", fmt::join(flag.names, ", "));
  if (!flag.positional && !flag.value.empty()) left += " " + value_text(flag);
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

// Lines of prose are filled as one paragraph, up to an empty line or the exit status.
std::string filled_footer(std::string_view footer, size_t width) {
  std::string out;
  std::string prose;
  const auto end_paragraph = [&] {
    if (!prose.empty()) out += fill(prose, width, 0) + "\n";
    prose.clear();
  };
  for (const std::string_view line : base::Lines(footer)) {
    const bool is_prose = !line.empty() && !line.starts_with("  ");
    if (!is_prose || line.starts_with("Exit status") || line == "Examples:") end_paragraph();
    if (is_prose) {
      prose += (prose.empty() ? "" : " ") + std::string(line);
    } else {
      out += example(line, width) + "\n";
    }
    if (line == "Examples:") end_paragraph();
  }
  end_paragraph();
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

std::string short_help(const CLI::App& app, size_t terminal) {
  const size_t width = width_on(terminal);
  std::string rows;
  for (const CLI::App* command : commands_of(app))
    rows += row(command->get_name(), command->get_description(), width);
  const std::string name = full_name(app);
  return fmt::format(
      "{}\n\nUsage: {}\n{}\n{}\n", fill(app.get_description(), width, 0), usage_line(app),
      section("Commands", rows),
      fill(fmt::format("Run \"{0} --help\" or \"{0} COMMAND --help\" for more.", name), width, 0));
}

std::string help_text(const CLI::App& app, size_t terminal) {
  const size_t width = width_on(terminal);
  std::string inputs;
  std::string flags;
  std::string commands;
  for (const FlagText& flag : flags_of(app)) (flag.positional ? inputs : flags) += flag_row(flag, width);
  for (const CLI::App* command : commands_of(app))
    commands += row(command->get_name(), command->get_description(), width);
  std::string out = fill(app.get_description(), width, 0) + "\n\nUsage: " + usage_line(app) + "\n";
  out += section("Commands", commands) + section("Inputs", inputs) + section("Flags", flags);
  return app.get_footer().empty() ? out : out + "\n" + filled_footer(app.get_footer(), width);
}

}  // namespace trainjobc::cli
