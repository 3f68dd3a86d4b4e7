// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/version.h"
#include "cli/command.h"

namespace trainjobc::cli {
namespace {

using Runner = std::pair<const Command*, std::function<int(Console&)>>;

// `trainjobc help render` is `trainjobc render --help`.
std::vector<std::string> without_help_word(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments.front() != "help") return arguments;
  arguments.erase(arguments.begin());
  arguments.emplace_back("--help");
  return arguments;
}

bool is_internal(const std::vector<std::string>& arguments) {
  return !arguments.empty() && arguments.front().starts_with("__");
}

void describe_root(Command& root) {
  root.needs_command = true;
  root.add("--version", {}, "Print the version and exit");
  root.details = {"Run \"trainjobc COMMAND --help\" for more."};
  root.examples = {"trainjobc lint jobs/", "trainjobc render jobs/ml-research/bert-pretrain.yaml",
                   "trainjobc diff jobs/"};
}

// Adds all commands. Those that the arguments don't name get no flags: describing them all would take longer
// than anything else at start-up.
std::vector<Runner> add_commands(Command& root, const std::vector<std::string>& arguments) {
  std::vector<Runner> runners;
  for (const CommandEntry& entry : commands()) {
    Command& command = root.add_command(std::string(entry.name), std::string(entry.summary));
    if (is_internal(arguments) || std::ranges::count(arguments, entry.name) > 0)
      runners.emplace_back(&command, entry.setup(command));
  }
  return runners;
}

}  // namespace

int run(const std::vector<std::string>& given, Console& console) {
  Command root("trainjobc",
               "Offline compiler for Kubeflow TrainJobs: from TrainJobs and runtimes to the JobSets that the "
               "controller would create");
  describe_root(root);
  const std::vector<std::string> arguments = without_help_word(given);
  const std::vector<Runner> runners = add_commands(root, arguments);
  if (const auto status = run_internal(root, given, console)) return *status;
  if (given.empty()) return print_text(console, short_help(root, console.stdout_width()));
  const ParsedLine line = parse(root, arguments);
  switch (line.wanted) {
    case Wanted::Help: return print_text(console, help_text(*line.command, console.stdout_width()));
    case Wanted::Version: return print_text(console, fmt::format("trainjobc {}\n", base::kVersion));
    case Wanted::Nothing:
      console.write_stderr(
          fmt::format("trainjobc: {}\nSee \"{} --help\".\n", line.error, line.command->full_name()));
      return kFailed;
    case Wanted::Run: break;
  }
  const auto runner = std::ranges::find_if(runners, [](const Runner& entry) { return entry.first->chosen; });
  return runner != runners.end() ? runner->second(console) : kFailed;
}

}  // namespace trainjobc::cli
