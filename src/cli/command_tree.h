// SPDX-License-Identifier: Apache-2.0

// Commands and flags as in the CLI11 tree, for help, manual pages, completion and suggestions. Each command
// defines them once, in its setup.
#pragma once

#include <string>
#include <vector>

#include "cli/cli11_fwd.h"

namespace trainjobc::cli {

struct FlagText {
  std::vector<std::string> names;    // "-f", "--filename"; of a positional, its name: "PATH"
  std::string value;                 // "PATH"; "" for a switch
  std::vector<std::string> choices;  // all values, if there are only a few
  std::string default_value;
  std::string description;
  bool positional = false;
  bool repeats = false;

  bool has_name(const std::string& name) const;
};

// The flags and positionals of a command, in order; hidden ones are left out.
std::vector<FlagText> flags_of(const CLI::App& command);

// The commands below `app`, in order; hidden ones are left out.
std::vector<const CLI::App*> commands_of(const CLI::App& app);

// The command of that name below `app`, or nullptr.
const CLI::App* find_command(const CLI::App& app, const std::string& name);

// "trainjobc render": the names from the root to `app`.
std::string full_name(const CLI::App& app);

// "trainjobc render [FLAGS] [PATH...]".
std::string usage_line(const CLI::App& app);

// "--output yaml|json|name", with the dashes of the names unchanged.
std::string value_text(const FlagText& flag);

}  // namespace trainjobc::cli
