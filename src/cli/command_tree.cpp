// SPDX-License-Identifier: Apache-2.0

#include "cli/command_tree.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

namespace trainjobc::cli {
namespace {

// CLI11 writes the values that IsMember allows as "TYPE:{a,b}".
std::vector<std::string> choices_in(const std::string& type) {
  const size_t open = type.find('{');
  const size_t close = type.rfind('}');
  std::vector<std::string> choices;
  if (open == std::string::npos || close == std::string::npos) return choices;
  for (size_t at = open + 1; at < close;) {
    const size_t end = std::min(type.find(',', at), close);
    choices.push_back(type.substr(at, end - at));
    at = end + 1;
  }
  return choices;
}

FlagText text_of(const CLI::Option& option) {
  FlagText text;
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  text.positional = text.names.empty();
  if (text.positional) text.names.push_back(option.get_name(true));
  text.description = option.get_description();
  if (option.get_type_size_max() == 0) return text;
  const std::string type = option.get_type_name();
  text.choices = choices_in(type);
  text.value = type.substr(0, type.find(':'));
  text.default_value = option.get_default_str();
  text.repeats = option.get_expected_max() > 1;
  return text;
}

}  // namespace

bool FlagText::has_name(const std::string& name) const {
  return std::ranges::count(names, name) > 0;
}

std::vector<FlagText> flags_of(const CLI::App& command) {
  std::vector<FlagText> flags;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_group().empty()) flags.push_back(text_of(*option));
  }
  return flags;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* sub) { return !sub->get_group().empty(); });
}

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
  const auto subs = commands_of(app);
  const auto found = std::ranges::find(subs, name, [](const CLI::App* sub) { return sub->get_name(); });
  return found != subs.end() ? *found : nullptr;
}

std::string full_name(const CLI::App& app) {
  return app.get_parent() ? fmt::format("{} {}", full_name(*app.get_parent()), app.get_name())
                          : app.get_name();
}

std::string usage_line(const CLI::App& app) {
  std::string line = full_name(app);
  if (app.get_require_subcommand_min() > 0) line += " COMMAND";
  line += " [FLAGS]";
  for (const FlagText& flag : flags_of(app)) {
    if (flag.positional) line += fmt::format(" [{}{}]", flag.names.front(), flag.repeats ? "..." : "");
  }
  return line;
}

std::string value_text(const FlagText& flag) {
  return flag.choices.empty() ? flag.value : fmt::format("{}", fmt::join(flag.choices, "|"));
}

}  // namespace trainjobc::cli
