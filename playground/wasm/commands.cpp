// SPDX-License-Identifier: Apache-2.0

// The commands that the page runs: the others would double the download.
#include "cli/commands.h"

#include <array>

namespace trainjobc::cli {

std::span<const CommandEntry> commands() {
  static constexpr std::array kCommands = std::to_array<CommandEntry>({
      {"render", "Print the objects that Kubeflow Trainer would create", setup_render},
      {"lint", "Report what the cluster would refuse, at the line to fix", setup_lint},
      {"explain", "Show where each field of the rendered objects comes from", setup_explain},
      {"plan", "Show the nodes, processes and resources of jobs", setup_plan},
      {"graph", "Draw what jobs run, wait for and use", setup_graph},
      {"migrate", "Rewrite TrainJobs and runtimes for another Trainer version", setup_migrate},
  });
  return kCommands;
}

std::optional<int> run_internal(const Command&, const std::vector<std::string>&, Console&) {
  return std::nullopt;
}

}  // namespace trainjobc::cli
