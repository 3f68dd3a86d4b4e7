// SPDX-License-Identifier: Apache-2.0

#include "cli/help/old_names.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace trainjobc::cli {
namespace {

struct OldName {
  std::string_view command;
  std::string_view old;
  std::string_view now;
};

constexpr std::array kOldNames = std::to_array<OldName>({
    {"render", "--output", "--format"},
    {"explain", "--output", "--format"},
    {"runtimes", "--output", "--format"},
    {"version", "--output", "--format"},
    {"lint", "--output", "--output-file"},
    {"migrate", "--from", "--from-version"},
});

}  // namespace

std::vector<std::string> with_current_names(std::vector<std::string> arguments) {
  const auto command =
      std::ranges::find_if(arguments, [](const std::string& word) { return !word.starts_with('-'); });
  if (command == arguments.end()) return arguments;
  for (auto word = command + 1; word != arguments.end() && *word != "--"; ++word) {
    const std::string_view name = std::string_view(*word).substr(0, word->find('='));
    const auto found = std::ranges::find_if(
        kOldNames, [&](const OldName& row) { return row.command == *command && row.old == name; });
    if (found != kOldNames.end()) word->replace(0, name.size(), found->now);
  }
  return arguments;
}

}  // namespace trainjobc::cli
