// SPDX-License-Identifier: Apache-2.0

#include "cli/help/man.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/ascii.h"
#include "base/version.h"
#include "cli/common_options.h"
#include "cli/exit_status.h"

namespace trainjobc::cli {
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
  if (!flag.positional && !flag.value.empty()) {
    names += flag.choices.empty() ? fmt::format(" \\fI{}\\fR", escaped(flag.value))
                                  : " " + bold(flag.value_text());
  }
  std::string text = escaped(flag.description);
  if (!flag.default_value.empty()) text += fmt::format(" [{}]", escaped(flag.default_value));
  return entry(names, text);
}

std::string man_section(std::string_view title, const std::string& text) {
  return text.empty() ? "" : fmt::format(".SH {}\n{}", title, text);
}

std::string description(const Command& command) {
  std::string text = escaped(command.summary) + ".\n";
  for (const std::string& paragraph : command.details) text += ".PP\n" + escaped(paragraph) + "\n";
  return text;
}

std::string command_entries(const Command& command) {
  std::string text;
  for (const Command& sub : command.commands)
    text += entry(fmt::format(".BR {} (1)", escaped(page_name(sub))), escaped(sub.summary));
  return text;
}

std::string flag_entries(const Command& command) {
  std::string text;
  for (const Flag& flag : command.flags) text += flag_entry(flag);
  return text;
}

std::string exit_statuses(const Command& command) {
  std::string text;
  for (const ExitStatus& exit : command.exit_statuses) {
    std::string meaning = exit.meaning;
    meaning.front() = base::upper_case(meaning.substr(0, 1)).front();
    text += entry(fmt::format(".B {}", exit.status), escaped(meaning) + ".");
  }
  return text;
}

std::string environment(const Command& command) {
  std::string text;
  for (const Variable& variable : command.variables)
    text += entry(fmt::format(".B {}", escaped(variable.name)), escaped(variable.meaning));
  return text;
}

bool reads_settings(const Command& command) {
  return std::ranges::any_of(command.variables,
                             [](const Variable& one) { return one.name == kConfigVariable; });
}

std::string files(const Command& command) {
  if (!reads_settings(command)) return "";
  return entry(
      ".I .trainjobc.yaml",
      "Settings of the manifests in its folder and below, except where a nearer file governs them. It is "
      "looked for from each\ninput upward to the root of the repository. Flags override the environment, "
      "which overrides the file.");
}

std::string examples(const Command& command) {
  std::string text;
  for (const std::string& example : command.examples) text += escaped(example) + "\n";
  return text.empty() ? "" : ".nf\n" + text + ".fi\n";
}

std::string see_also(const Command& command) {
  const bool has_settings = reads_settings(command) || !command.parent;
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
         man_section("DESCRIPTION", description(command)) +
         man_section("COMMANDS", command_entries(command)) + man_section("OPTIONS", flag_entries(command)) +
         man_section("EXIT STATUS", exit_statuses(command)) +
         man_section("ENVIRONMENT", environment(command)) + man_section("FILES", files(command)) +
         man_section("EXAMPLES", examples(command)) + man_section("SEE ALSO", see_also(command));
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

}  // namespace trainjobc::cli
