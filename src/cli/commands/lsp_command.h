// SPDX-License-Identifier: Apache-2.0

// The language server, and its files.
#pragma once

#include "cli/command.h"
#include "cli/output/console.h"
#include "features/lsp/workspace.h"

namespace trainjobc::cli {

// Loads what `lint` loads for paths, with the environment of the console.
lsp::InputLoader workspace_loader(const Console& console);

std::function<int(Console&)> setup_lsp(Command& command);

}  // namespace trainjobc::cli
