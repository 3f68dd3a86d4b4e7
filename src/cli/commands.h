// SPDX-License-Identifier: Apache-2.0

// The setup functions in the registry; each command has its own file.
#pragma once

#include "cli/command.h"

namespace trainjobc::cli {

std::function<int(Console&)> setup_render(CLI::App& app);
std::function<int(Console&)> setup_lint(CLI::App& app);
std::function<int(Console&)> setup_explain(CLI::App& app);
std::function<int(Console&)> setup_plan(CLI::App& app);
std::function<int(Console&)> setup_graph(CLI::App& app);
std::function<int(Console&)> setup_diff(CLI::App& app);
std::function<int(Console&)> setup_submit(CLI::App& app);
std::function<int(Console&)> setup_migrate(CLI::App& app);
std::function<int(Console&)> setup_function(CLI::App& app);
std::function<int(Console&)> setup_runtimes(CLI::App& app);
std::function<int(Console&)> setup_schema(CLI::App& app);
std::function<int(Console&)> setup_completion(CLI::App& app);
std::function<int(Console&)> setup_version(CLI::App& app);

}  // namespace trainjobc::cli
