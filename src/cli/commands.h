// SPDX-License-Identifier: Apache-2.0

// The commands: their setup functions, and those whose programs tests can replace.
#pragma once

#include <string>
#include <vector>

#include "base/process.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/options.h"
#include "features/lsp/workspace.h"

namespace trainjobc::cli {

std::function<int(Console&)> setup_render(Command& command);
std::function<int(Console&)> setup_lint(Command& command);
std::function<int(Console&)> setup_explain(Command& command);
std::function<int(Console&)> setup_plan(Command& command);
std::function<int(Console&)> setup_graph(Command& command);
std::function<int(Console&)> setup_compose(Command& command);
std::function<int(Console&)> setup_diff(Command& command);
std::function<int(Console&)> setup_submit(Command& command);
std::function<int(Console&)> setup_migrate(Command& command);
std::function<int(Console&)> setup_new(Command& command);
std::function<int(Console&)> setup_function(Command& command);
std::function<int(Console&)> setup_runtimes(Command& command);
std::function<int(Console&)> setup_kustomize_config(Command& command);
std::function<int(Console&)> setup_webhook(Command& command);
std::function<int(Console&)> setup_schema(Command& command);
std::function<int(Console&)> setup_completion(Command& command);
std::function<int(Console&)> setup_version(Command& command);

// trainjobc graph, with the programs it runs exchangeable for tests.

struct GraphFlags {
  InputFlags input;
  ColourFlag colour;
  std::string format = "mermaid";
};

// 0: drawn; 1: an input was rejected; 2: usage, I/O, no Graphviz.
int run_graph(Console& console, const GraphFlags& flags, base::ProcessRunner& runner);

// trainjobc plan, with the programs it runs exchangeable for tests.

struct PlanFlags {
  InputFlags input;
  ColourFlag colour;
  std::vector<std::string> quota;
  bool cluster = false;
  std::string context;
  std::string kubeconfig;
  unsigned timeout = kCallTimeout;  // seconds
  bool ranks = false;
  std::string format = "text";
};

// 0: planned; 1: an input was rejected, or a job can never be admitted; 2: usage, I/O, kubectl.
int run_plan(Console& console, const PlanFlags& flags, base::ProcessRunner& runner);

// The language server, and its files.

// Loads what `lint` loads for paths, with the environment of the console.
lsp::InputLoader workspace_loader(Console& console);

std::function<int(Console&)> setup_lsp(Command& command);

}  // namespace trainjobc::cli
