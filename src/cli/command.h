// SPDX-License-Identifier: Apache-2.0

// Command: one subcommand. The registry is the only list of them.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "cli/cli11_fwd.h"
#include "cli/output/console.h"

namespace trainjobc::cli {

// Adds the command's flags to `app` and returns the function that runs it after they are parsed.
using Setup = std::function<int(Console&)> (*)(CLI::App& app);

struct Command {
  std::string_view name;
  std::string_view summary;
  Setup setup;
};

std::span<const Command> commands();

}  // namespace trainjobc::cli
