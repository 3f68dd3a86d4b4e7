// SPDX-License-Identifier: Apache-2.0

#include <memory>

#include "cli/commands.h"
#include "compile/kept_jobs.h"
#include "features/graph/graph.h"

namespace trainjobc::cli {
namespace {

struct GraphFlags {
  InputFlags input;
  ColourFlag colour;
  std::string format = "mermaid";
};

int run_graph(Console& console, const GraphFlags& flags) {
  Options options = to_options(flags.input);
  options.with_defaults = true;
  options.policy.ssh_key = unshown_key();
  KeptJobs<graph::JobGraph> drawn_jobs(graph::draw_job);
  const auto compiled =
      compile_inputs(console, flags.input, flags.colour, options, {.sink_of = drawn_jobs.sinks()});
  if (!compiled) return kFailed;
  const std::vector<graph::JobGraph> jobs = drawn_jobs.take(compiled->all);
  std::string text;
  if (flags.format == "svg") {
    auto drawn =
        got(console, graph::format_svg(jobs, console.processes(),
                                       program_timeout(console, flags.input, std::chrono::minutes(2))));
    if (!drawn) return kFailed;
    text = std::move(*drawn);
  } else {
    text = flags.format == "dot" ? graph::format_dot(jobs) : graph::format_mermaid(jobs);
  }
  return print_text(console, text, compiled->status());
}

}  // namespace

std::function<int(Console&)> setup_graph(Command& command) {
  auto flags = std::make_shared<GraphFlags>();
  flags->input.add_to(command);
  flags->input.add_deployed_to(command, "Draw");
  command.add("-o,--format", &flags->format, "Output format; svg needs Graphviz")
      .one_of({"mermaid", "dot", "svg"})
      .shows_default();
  flags->colour.add_to(command);
  command.details = {
      "Draws each job's pods and what they start after (solid arrows), and the Secrets, ConfigMaps, volumes, "
      "Service and PodGroup that they use (dashed arrows). In a ```mermaid block, GitHub and GitLab draw the "
      "default format."};
  command.exit_statuses = {
      {0, "drawn"}, {1, "an input was rejected"}, {2, "usage or I/O error, or no Graphviz"}};
  command.examples = {"trainjobc graph jobs/ml-research/t5-deepspeed.yaml",
                      "trainjobc graph jobs/ --job t5-deepspeed -o dot"};
  return [flags](Console& console) { return run_graph(console, *flags); };
}

}  // namespace trainjobc::cli
