#include "cli/app.h"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/suggest.h"
#include "cli/command.h"
#include "cli/exit_status.h"

namespace trainjobc::cli {
namespace {

// The command or flag that a misspelt word was meant to be.
std::optional<std::string> suggest(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  if (word.starts_with("-")) {
    const CLI::App* scope = &app;
    for (const CLI::App* chosen : app.get_subcommands()) scope = chosen;
    for (const CLI::Option* option : scope->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  } else {
    for (const Command& command : commands()) names.emplace_back(command.name);
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const auto meant = base::closest(word.substr(0, word.find('=')), candidates);
  return meant ? std::optional(std::string(*meant)) : std::nullopt;
}

int report_parse_error(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& arguments,
                       Console& console) {
  std::string message = error.what();
  for (const std::string& word : app.remaining(true)) {
    const auto meant = suggest(app, word);
    message = fmt::format("unknown {} \"{}\"{}", word.starts_with("-") ? "flag" : "command", word,
                          meant ? fmt::format(", did you mean \"{}\"?", *meant) : "");
    break;
  }
  if (arguments.empty()) message = "name a command";
  const auto chosen = app.get_subcommands();
  const std::string help = chosen.empty() ? "trainjobc --help" : fmt::format("trainjobc {} --help", chosen.front()->get_name());
  console.write_stderr(fmt::format("trainjobc: {}\nSee \"{}\".\n", message, help));
  return kFailed;
}

}  // namespace

int run(const std::vector<std::string>& arguments, Console& console) {
  CLI::App app{"Offline compiler for Kubeflow TrainJobs: from TrainJobs and runtimes to the JobSets that the "
               "controller would create",
               "trainjobc"};
  app.require_subcommand(1);
  std::vector<std::pair<const CLI::App*, std::function<int(Console&)>>> runners;
  for (const Command& command : commands()) {
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
    runners.emplace_back(sub, command.setup(*sub));
  }
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    return console.write_stdout(chosen.empty() ? app.help() : chosen.front()->help("trainjobc " + chosen.front()->get_name())) ? kOk : kFailed;
  } catch (const CLI::ParseError& error) {
    return report_parse_error(app, error, arguments, console);
  }
  const auto runner = std::ranges::find_if(runners, [](const auto& entry) { return entry.first->parsed(); });
  return runner != runners.end() ? runner->second(console) : kFailed;
}

}  // namespace trainjobc::cli
