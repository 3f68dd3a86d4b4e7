// SPDX-License-Identifier: Apache-2.0

// The setup functions in the registry; each command has its own file.
#pragma once

#include "cli/command.h"

namespace trainjobc::cli {

std::function<int(Console&)> setup_render(Command& command);
std::function<int(Console&)> setup_lint(Command& command);
std::function<int(Console&)> setup_explain(Command& command);
std::function<int(Console&)> setup_plan(Command& command);
std::function<int(Console&)> setup_graph(Command& command);
std::function<int(Console&)> setup_diff(Command& command);
std::function<int(Console&)> setup_submit(Command& command);
std::function<int(Console&)> setup_migrate(Command& command);
std::function<int(Console&)> setup_function(Command& command);
std::function<int(Console&)> setup_runtimes(Command& command);
std::function<int(Console&)> setup_schema(Command& command);
std::function<int(Console&)> setup_completion(Command& command);
std::function<int(Console&)> setup_version(Command& command);

}  // namespace trainjobc::cli
