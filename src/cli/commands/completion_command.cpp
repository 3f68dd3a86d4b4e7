// SPDX-License-Identifier: Apache-2.0

// trainjobc completion
#include <CLI/CLI.hpp>
#include <array>
#include <memory>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "completion_scripts.h"

namespace trainjobc::cli {

std::function<int(Console&)> setup_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  app.add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  app.footer(
      "Packages install these scripts. The scripts call the trainjobc on the PATH for completions.\n"
      "\n"
      "Examples:\n"
      "  source <(trainjobc completion bash)\n"
      "  trainjobc completion zsh > ~/.zsh/completions/_trainjobc\n"
      "  trainjobc completion fish > ~/.config/fish/completions/trainjobc.fish");
  return [shell](Console& console) {
    const std::string_view script = *shell == "bash"  ? kBashCompletion
                                    : *shell == "zsh" ? kZshCompletion
                                                      : kFishCompletion;
    return console.write_stdout(script) ? kOk : kFailed;
  };
}

}  // namespace trainjobc::cli
