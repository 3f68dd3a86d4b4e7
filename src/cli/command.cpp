// SPDX-License-Identifier: Apache-2.0

#include "cli/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/text/text.h"

namespace trainjobc::cli {
namespace {

std::string value_name(const Flag::Target& target) {
  if (std::holds_alternative<unsigned*>(target)) return "UINT";
  const bool is_text = std::holds_alternative<std::string*>(target) ||
                       std::holds_alternative<std::vector<std::string>*>(target);
  return is_text ? "TEXT" : "";
}

}  // namespace

Flag& Flag::takes(std::string value_name) {
  value = std::move(value_name);
  return *this;
}

Flag& Flag::one_of(std::vector<std::string> values) {
  choices = std::move(values);
  return *this;
}

Flag& Flag::means(std::string without_value) {
  bare = std::move(without_value);
  return *this;
}

Flag& Flag::reads(Reader read, std::string what) {
  reader = std::move(read);
  expected = std::move(what);
  return *this;
}

Flag& Flag::shows_default() {
  if (const auto* text = std::get_if<std::string*>(&target)) default_value = **text;
  if (const auto* number = std::get_if<unsigned*>(&target)) default_value = std::to_string(**number);
  return *this;
}

Flag& Flag::needs(std::string flag) {
  needed.push_back(std::move(flag));
  return *this;
}

Flag& Flag::excludes(std::string flag) {
  excluded.push_back(std::move(flag));
  return *this;
}

Flag& Flag::was(std::string old_name) {
  old_names.push_back(std::move(old_name));
  return *this;
}

bool Flag::has_name(std::string_view name) const {
  return base::contains(names, name) || base::contains(old_names, name);
}

const std::string& Flag::long_name() const {
  const auto found =
      std::ranges::find_if(names, [](const std::string& one) { return one.starts_with("--"); });
  return found != names.end() ? *found : names.front();
}

std::string Flag::value_text() const {
  if (positional || value.empty()) return "";
  std::vector<std::string> values = choices;
  std::erase(values, bare);
  const std::string text = values.empty() ? value : fmt::format("{}", fmt::join(values, "|"));
  return bare.empty() ? " " + text : fmt::format("[={}]", text);
}

Command::Command(std::string of_name, std::string of_summary, Command* of_parent)
    : name(std::move(of_name)), summary(std::move(of_summary)), parent(of_parent) {
  add("-h,--help", {}, "Print this help and exit");
}

Command::~Command() = default;

Flag& Command::add(std::string_view names, Flag::Target target, std::string description) {
  Flag& flag = flags.emplace_back();
  for (const std::string_view one : base::split(names, ",")) flag.names.emplace_back(one);
  flag.value = value_name(target);
  flag.description = std::move(description);
  flag.positional = !names.starts_with('-');
  flag.repeats = std::holds_alternative<std::vector<std::string>*>(target);
  flag.target = target;
  return flag;
}

Command& Command::add_command(std::string of_name, std::string of_summary) {
  return commands.emplace_back(std::move(of_name), std::move(of_summary), this);
}

const Flag* Command::find_flag(std::string_view wanted) const {
  const auto found = std::ranges::find_if(flags, [&](const Flag& flag) { return flag.has_name(wanted); });
  return found != flags.end() ? &*found : nullptr;
}

const Command* Command::find_command(std::string_view wanted) const {
  const auto found = std::ranges::find(commands, wanted, &Command::name);
  return found != commands.end() ? &*found : nullptr;
}

std::string Command::full_name() const {
  return parent ? fmt::format("{} {}", parent->full_name(), name) : name;
}

std::string Command::usage() const {
  std::string line = full_name();
  if (needs_command) line += " COMMAND";
  line += " [FLAGS]";
  for (const Flag& flag : flags) {
    if (!flag.positional) continue;
    line += fmt::format(" [{}{}{}]", flag.after_dashes ? "-- " : "", flag.names.front(),
                        flag.repeats ? "..." : "");
  }
  return line;
}

}  // namespace trainjobc::cli
