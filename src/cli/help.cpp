// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text/layout.h"
#include "base/text/suggest.h"
#include "base/text/text.h"
#include "base/version.h"
#include "cli/command.h"
#include "cli/options.h"
#include "compile/explanations.h"
#include "platform/team.h"
#include "rules/rules.h"

namespace trainjobc::cli {
namespace {

constexpr size_t kWidest = 80;
constexpr size_t kColumn = 30;  // where descriptions begin
constexpr size_t kNarrowest = kColumn + 20;

size_t width_on(size_t terminal) {
  return terminal == 0 ? kWidest : std::clamp(terminal, kNarrowest, kWidest);
}

// A flag with more values than fit continues on the next line, after a "|".
std::string broken_at_values(std::string_view left, size_t width) {
  if (left.size() <= width) return std::string(left);
  const size_t bar = left.substr(0, width).rfind('|');
  if (bar == std::string_view::npos) return std::string(left);
  return fmt::format("{}\n        {}", left.substr(0, bar + 1),
                     broken_at_values(left.substr(bar + 1), width - 6));
}

// The left side in its column, or on a line of its own if it is too long.
std::string row(const std::string& left, const std::string& description, size_t width) {
  std::string out = "  " + broken_at_values(left, width - 2);
  if (out.size() + 2 > kColumn) {
    out += "\n" + std::string(kColumn, ' ');
  } else {
    out.resize(kColumn, ' ');
  }
  // The spaces before the description count in the width of its first line.
  const std::string column = std::string(kColumn, ' ') + description;
  return out + base::wrap(column, width, kColumn).substr(kColumn) + "\n";
}

std::string flag_row(const Flag& flag, size_t width) {
  const bool short_one = !flag.names.front().starts_with("--");
  std::string left = flag.positional || short_one ? "" : "    ";
  left += fmt::format("{}", fmt::join(flag.names, ", "));
  left += flag.value_text();
  const std::string text = flag.default_value.empty()
                               ? flag.description
                               : fmt::format("{} [{}]", flag.description, flag.default_value);
  return row(left, text, width);
}

std::string section(const std::string& title, const std::string& rows) {
  return rows.empty() ? "" : fmt::format("\n{}:\n{}", title, rows);
}

// A command that is too long continues on the next line, after a backslash for the shell.
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

// Paragraphs, exit statuses and examples, each preceded by an empty line.
std::string below_flags(const Command& command, size_t width) {
  std::string out;
  for (const std::string& paragraph : command.details) out += "\n" + base::wrap(paragraph, width, 0) + "\n";
  std::vector<std::string> statuses;
  for (const ExitStatus& exit : command.exit_statuses)
    statuses.push_back(fmt::format("{} {}", exit.status, exit.meaning));
  if (!statuses.empty())
    out += "\n" + base::wrap(fmt::format("Exit status: {}.", fmt::join(statuses, ", ")), width, 0) + "\n";
  if (!command.examples.empty()) out += "\nExamples:\n";
  for (const std::string& one : command.examples) out += example("  " + one, width) + "\n";
  return out;
}

// Concatenates the text that `make` returns for each item.
template <class Items, class Make>
std::string of_each(const Items& items, const Make& make) {
  std::string text;
  for (const auto& item : items) text += make(item);
  return text;
}

std::string command_rows(const Command& command, size_t width) {
  return of_each(command.commands, [&](const Command& sub) { return row(sub.name, sub.summary, width); });
}

std::string opening(const Command& command, size_t width) {
  return fmt::format("{}\n\nUsage: {}\n", base::wrap(command.summary, width, 0), command.usage());
}

}  // namespace

std::string short_help(const Command& command, size_t terminal) {
  const size_t width = width_on(terminal);
  return fmt::format(
      "{}{}\n{}\n", opening(command, width), section("Commands", command_rows(command, width)),
      base::wrap(fmt::format("Run \"{0} --help\" or \"{0} COMMAND --help\" for more.", command.full_name()),
                 width, 0));
}

std::string help_text(const Command& command, size_t terminal) {
  const size_t width = width_on(terminal);
  std::string inputs;
  std::string flags;
  std::string of_inputs;
  for (const Flag& flag : command.flags)
    (flag.positional ? inputs : flag.of_inputs ? of_inputs : flags) += flag_row(flag, width);
  return opening(command, width) + section("Commands", command_rows(command, width)) +
         section("Inputs", inputs) + section("Flags", flags) + section("Flags for the inputs", of_inputs) +
         below_flags(command, width);
}

namespace {

// Text escaped for troff.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\': out += "\\e"; break;
      case '-': out += "\\-"; break;
      case '\'': out += "\\(aq"; break;
      case '`': out += "\\(ga"; break;
      case '^': out += "\\(ha"; break;
      case '~': out += "\\(ti"; break;
      default: out += c;
    }
  }
  return !text.empty() && text.front() == '.' ? "\\&" + out : out;
}

std::string bold(std::string_view text) {
  return fmt::format("\\fB{}\\fR", escaped(text));
}

std::string page_name(const Command& command) {
  std::string name = command.full_name();
  std::ranges::replace(name, ' ', '-');
  return name;
}

// A tagged paragraph.
std::string entry(std::string_view tag, std::string_view text) {
  return fmt::format(".TP\n{}\n{}\n", tag, text);
}

std::string flag_entry(const Flag& flag) {
  std::string names;
  for (const std::string& name : flag.names) names += (names.empty() ? "" : ", ") + bold(name);
  if (flag.takes_word()) {
    names += flag.choices.empty() ? fmt::format(" \\fI{}\\fR", escaped(flag.value))
                                  : " " + bold(flag.value_text().substr(1));
  } else if (!flag.bare.empty()) {
    names += bold(flag.value_text());
  }
  std::string text = escaped(flag.description);
  if (!flag.default_value.empty()) text += fmt::format(" [{}]", escaped(flag.default_value));
  return entry(names, text);
}

std::string man_section(std::string_view title, const std::string& text) {
  return text.empty() ? "" : fmt::format(".SH {}\n{}", title, text);
}

std::string paragraph_entry(const std::string& paragraph) {
  return ".PP\n" + escaped(paragraph) + "\n";
}

std::string command_entry(const Command& command) {
  return entry(fmt::format(".BR {} (1)", escaped(page_name(command))), escaped(command.summary));
}

std::string status_entry(const ExitStatus& exit) {
  std::string meaning = exit.meaning;
  meaning.front() = base::to_upper(meaning.front());
  return entry(fmt::format(".B {}", exit.status), escaped(meaning) + ".");
}

std::string variable_entry(const Variable& variable) {
  return entry(fmt::format(".B {}", escaped(variable.name)), escaped(variable.meaning));
}

bool reads_settings(const Command& command) {
  return base::contains(command.variables, kConfigVariable, &Variable::name);
}

std::string files(const Command& command) {
  if (!reads_settings(command)) return "";
  return entry(
      ".I .trainjobc.yaml",
      "Settings. It applies to the files in its folder and below, except where a nearer one applies; "
      "standard input and pipes\nhave the settings of a file in the working directory. Flags override "
      "environment variables, which override the file.");
}

std::string examples(const Command& command) {
  const std::string text =
      of_each(command.examples, [](const std::string& one) { return escaped(one) + "\n"; });
  return text.empty() ? "" : ".nf\n" + text + ".fi\n";
}

std::string see_also(const Command& command) {
  const bool takes_file =
      std::ranges::any_of(command.flags, [](const Flag& flag) { return flag.long_name() == "--config"; });
  const bool has_settings = reads_settings(command) || takes_file || !command.parent;
  std::string text = command.parent ? fmt::format(".BR {} (1)", page_name(*command.parent)) : "";
  if (has_settings) text += (text.empty() ? "" : ",\n") + std::string(".BR trainjobc.yaml (5)");
  return text + "\n";
}

}  // namespace

std::string man_page(const Command& command) {
  const std::string name = page_name(command);
  return fmt::format(
             ".\\\" Made by the build from the descriptions that --help prints.\n"
             ".TH {} 1 {} \"trainjobc {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}\n",
             escaped(base::upper_case(name)), base::kVersionDate, base::kVersion, escaped(name),
             escaped(command.summary), bold(command.usage())) +
         man_section("DESCRIPTION",
                     escaped(command.summary) + ".\n" + of_each(command.details, paragraph_entry)) +
         man_section("COMMANDS", of_each(command.commands, command_entry)) +
         man_section("OPTIONS", of_each(command.flags, flag_entry)) +
         man_section("EXIT STATUS", of_each(command.exit_statuses, status_entry)) +
         man_section("ENVIRONMENT", of_each(command.variables, variable_entry)) +
         man_section("FILES", files(command)) + man_section("EXAMPLES", examples(command)) +
         man_section("SEE ALSO", see_also(command));
}

int write_man_pages(const Command& root, const std::string& directory, Console& console) {
  if (const auto error = console.files().make_directory(directory)) return fail(console, error->message);
  std::vector<const Command*> all{&root};
  for (size_t i = 0; i < all.size(); ++i) {
    for (const Command& below : all[i]->commands) all.push_back(&below);
  }
  for (const Command* command : all) {
    const std::string path = fmt::format("{}/{}.1", directory, page_name(*command));
    if (const auto error = console.files().write(path, man_page(*command), 0666))
      return fail(console, error->message);
  }
  return kOk;
}

namespace {

constexpr size_t kWidth = 80;

// Wraps prose; an indented line is an example and stays as it is.
std::string wrapped(std::string_view text, size_t width) {
  std::string out;
  for (const std::string_view line : base::Lines(text)) {
    if (!out.empty()) out += '\n';
    out += line.starts_with("    ") ? std::string(line) : base::wrap(line, width, 0);
  }
  return out;
}

}  // namespace

std::string list_rules(size_t width, std::span<const platform::TeamRule* const> team) {
  std::vector<std::vector<std::string>> rows;
  for (const rules::Rule& rule : rules::all_rules()) {
    rows.push_back({std::string(rule.id), std::string(to_string(rule.severity)), std::string(rule.summary)});
  }
  for (const platform::TeamRule* rule : team)
    rows.push_back({rule->id, std::string(to_string(rule->severity)), rule->summary()});
  return base::table(rows, width);
}

namespace {

std::string explanation(const rules::Rule& rule, size_t terminal) {
  const size_t width = terminal == 0 ? kWidth : std::min(kWidth, terminal);
  return fmt::format("{} ({}, stage {})\n{}\n\n{}\n", rule.id, to_string(rule.severity),
                     to_string(rule.stage), base::wrap(rule.summary, terminal, 2),
                     wrapped(compile::explanation_of(rule), width));
}

std::string_view name_of(const rules::Rule& rule) {
  return rule.id.substr(rule.id.find('/') + 1);
}

// The rule that is closest to the id, or to the name after its slash.
std::optional<std::string_view> closest_rule(std::string_view id) {
  std::vector<std::string_view> known;
  const auto spelling = [&](const rules::Rule& rule) {
    return id.find('/') == std::string_view::npos ? name_of(rule) : rule.id;
  };
  for (const rules::Rule& rule : rules::all_rules()) known.push_back(spelling(rule));
  const auto meant = base::closest(id, known);
  if (!meant) return std::nullopt;
  return std::ranges::find(rules::all_rules(), *meant, spelling)->id;
}

}  // namespace

int explain_rule(Console& console, const std::string& id) {
  std::string text;
  for (const rules::Rule& rule : rules::all_rules()) {
    if (rule.id == id || name_of(rule) == id)
      text += (text.empty() ? "" : "\n") + explanation(rule, console.stdout_width());
  }
  if (!text.empty()) return print_text(console, text);
  const auto meant = closest_rule(id);
  return fail(console, meant ? fmt::format("there is no rule \"{}\", did you mean \"{}\"?", id, *meant)
                             : fmt::format("there is no rule \"{}\"; --list-rules lists them", id));
}

}  // namespace trainjobc::cli
