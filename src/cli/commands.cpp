// SPDX-License-Identifier: Apache-2.0

#include "cli/commands.h"

#include <array>

namespace trainjobc::cli {

std::span<const CommandEntry> commands() {
  // clang-format indents what follows an #if in a list once more.
  // clang-format off
  static constexpr std::array kCommands = std::to_array<CommandEntry>({
      {"render", "Print the objects that Kubeflow Trainer would create", setup_render},
      {"lint", "Report what the cluster would refuse, at the line to fix", setup_lint},
      {"explain", "Show where each field of the rendered objects comes from", setup_explain},
      {"plan", "Show the nodes, processes and resources of jobs, and whether Kueue could admit them",
       setup_plan},
      {"graph", "Draw what jobs run, wait for and use, as Mermaid, DOT or SVG", setup_graph},
      {"compose", "Print a Compose file that runs a job on one machine, with docker or podman",
       setup_compose},
      {"diff", "Compare rendered objects with a cluster, other files, a branch or version", setup_diff},
      {"submit", "Lint, render and apply the JobSets to a cluster through kubectl", setup_submit},
      {"migrate", "Rewrite TrainJobs and runtimes for another Trainer version", setup_migrate},
      {"new", "Write a first TrainJob, and a runtime for it", setup_new},
      {"lsp", "Run as a language server, for editors", setup_lsp},
      {"function", "Run as a KRM function, for kustomize and kpt", setup_function},
      {"runtimes", "List the runtimes that TrainJobs can name, or print one", setup_runtimes},
      {"policies", "Test a team's own rules, or save a cluster's policies", setup_policies},
      {"kustomize-config", "Print a kustomize configuration for TrainJobs and runtimes",
       setup_kustomize_config},
#if TRAINJOBC_HAS_WEBHOOK
      {"webhook", "Run as an admission webhook: findings as kubectl's warnings", setup_webhook},
#endif
      {"schema", "Print the JSON Schema of a kind, for editors and validators", setup_schema},
      {"completion", "Print a shell's completion script", setup_completion},
      {"version", "Print the version and what it supports", setup_version},
  });
  // clang-format on
  return kCommands;
}

std::optional<int> run_internal(const Command& root, const std::vector<std::string>& arguments,
                                Console& console) {
  if (arguments.empty()) return std::nullopt;
  if (arguments.front() == "__complete")
    return print_completion(root, std::span(arguments).subspan(1), console);
  if (arguments.front() == "__man" && arguments.size() == 2)
    return write_man_pages(root, arguments[1], console);
  if (arguments.front() == "__schemas" && arguments.size() == 2) return write_schemas(arguments[1], console);
  return std::nullopt;
}

}  // namespace trainjobc::cli
