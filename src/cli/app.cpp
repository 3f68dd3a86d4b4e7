// SPDX-License-Identifier: Apache-2.0

#include "cli/app.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "base/text/suggest.h"
#include "cli/command.h"
#include "cli/command_tree.h"
#include "cli/exit_status.h"
#include "cli/help/complete.h"
#include "cli/help/help.h"
#include "cli/help/man.h"
#include "cli/help/old_names.h"
#include "cli/help/schema_files.h"
#include "base/version.h"

namespace trainjobc::cli {
namespace {

using Runner = std::pair<const CLI::App*, std::function<int(Console&)>>;

// The innermost command on the command line, or the root.
const CLI::App& chosen_app(const CLI::App& root) {
  const auto chosen = root.get_subcommands();
  return chosen.empty() ? root : chosen_app(*chosen.front());
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& names) {
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const auto meant = base::closest(word, candidates);
  return meant ? fmt::format(", did you mean \"{}\"?", *meant) : "";
}

std::string unknown_word(const CLI::App& root, const std::string& word) {
  std::vector<std::string> names;
  if (word.starts_with("-")) {
    for (const FlagText& flag : flags_of(chosen_app(root))) {
      if (!flag.positional && word.size() > 2)
        names.insert(names.end(), flag.names.begin(), flag.names.end());
    }
    const std::string flag = word.substr(0, word.find('='));
    return fmt::format("unknown flag \"{}\"{}", flag, did_you_mean(flag, names));
  }
  for (const CLI::App* command : commands_of(root)) names.push_back(command->get_name());
  const bool extra = &chosen_app(root) != &root;
  return extra ? fmt::format("unexpected argument \"{}\"", word)
               : fmt::format("unknown command \"{}\"{}", word, did_you_mean(word, names));
}

// A value that a flag doesn't take: CLI11 says "--format: jsn not in {json,text}".
std::string bad_value(const CLI::App& root, const std::string& message) {
  constexpr std::string_view kNotIn = " not in {";
  const size_t colon = message.find(": ");
  const size_t end = message.find(kNotIn);
  if (colon == std::string::npos || end == std::string::npos || end < colon) return message;
  const std::string name = message.substr(0, colon);
  const std::string value = message.substr(colon + 2, end - colon - 2);
  for (const FlagText& flag : flags_of(chosen_app(root))) {
    if (!flag.has_name(name)) continue;
    return fmt::format(
        "{} {} is not one of {}{}", name, value, fmt::join(flag.choices, ", "),
        // Another version isn't a typo.
        value.find_first_of("0123456789") == std::string::npos ? did_you_mean(value, flag.choices) : "");
  }
  return message;
}

int report_parse_error(const CLI::App& root, const CLI::ParseError& error, Console& console) {
  std::string message = bad_value(root, error.what());
  if (const auto unknown = root.remaining(true); !unknown.empty())
    message = unknown_word(root, unknown.front());
  console.write_stderr(
      fmt::format("trainjobc: {}\nSee \"{} --help\".\n", message, full_name(chosen_app(root))));
  return kFailed;
}

int print(Console& console, const std::string& text) {
  return console.write_stdout(text) ? kOk : kFailed;
}

// Hidden entry points for shells and the build. nullopt: the arguments ask for something else.
std::optional<int> run_internal(const CLI::App& root, const std::vector<std::string>& arguments,
                                Console& console) {
  if (arguments.empty()) return std::nullopt;
  if (arguments.front() == "__complete")
    return print_completion(root, std::span(arguments).subspan(1), console);
  if (arguments.front() == "__man" && arguments.size() == 2)
    return write_man_pages(root, arguments[1], console);
  if (arguments.front() == "__schemas" && arguments.size() == 2) return write_schemas(arguments[1], console);
  return std::nullopt;
}

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

// Adds all commands. Those that the arguments don't name have no flags: to define them all takes longer than
// anything else at the start.
std::vector<Runner> add_commands(CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<Runner> runners;
  for (const Command& command : commands()) {
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
    sub->get_help_ptr()->description("Print this help and exit");
    if (is_internal(arguments) || std::ranges::count(arguments, command.name) > 0)
      runners.emplace_back(sub, command.setup(*sub));
  }
  return runners;
}

}  // namespace

int run(const std::vector<std::string>& given, Console& console) {
  CLI::App app{
      "Offline compiler for Kubeflow TrainJobs: from TrainJobs and runtimes to the JobSets that the "
      "controller would create",
      "trainjobc"};
  app.require_subcommand(1);
  app.get_help_ptr()->description("Print this help and exit");
  app.set_version_flag("--version", fmt::format("trainjobc {}\n", base::kVersion),
                       "Print the version and exit");
  app.footer(
      "Run \"trainjobc COMMAND --help\" for more.\n"
      "\n"
      "Examples:\n"
      "  trainjobc lint jobs/\n"
      "  trainjobc render jobs/ml-research/bert-pretrain.yaml\n"
      "  trainjobc diff jobs/");
  const std::vector<std::string> arguments = with_current_names(without_help_word(given));
  const std::vector<Runner> runners = add_commands(app, arguments);
  if (const auto status = run_internal(app, given, console)) return *status;
  if (given.empty()) return print(console, short_help(app, console.stdout_width()));
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return print(console, help_text(chosen_app(app), console.stdout_width()));
  } catch (const CLI::CallForVersion& version) {
    return print(console, version.what());
  } catch (const CLI::ParseError& error) {
    return report_parse_error(app, error, console);
  }
  const auto runner = std::ranges::find_if(runners, [](const auto& entry) { return entry.first->parsed(); });
  return runner != runners.end() ? runner->second(console) : kFailed;
}

}  // namespace trainjobc::cli
