// SPDX-License-Identifier: Apache-2.0

// trainjobc completion
#include <array>
#include <memory>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "completion_scripts.h"

namespace trainjobc::cli {

std::function<int(Console&)> setup_completion(Command& command) {
  auto shell = std::make_shared<std::string>();
  Flag& wanted = command.add("SHELL", &*shell, "bash, zsh or fish").one_of({"bash", "zsh", "fish"});
  wanted.required = true;
  command.details = {
      "Packages install these scripts. The scripts call the trainjobc on the PATH for completions."};
  command.exit_statuses = {{0, "printed"}, {2, "usage or I/O"}};
  command.examples = {"source <(trainjobc completion bash)",
                      "trainjobc completion zsh > ~/.zsh/completions/_trainjobc",
                      "trainjobc completion fish > ~/.config/fish/completions/trainjobc.fish"};
  return [shell](Console& console) {
    const std::string_view script = *shell == "bash"  ? kBashCompletion
                                    : *shell == "zsh" ? kZshCompletion
                                                      : kFishCompletion;
    return console.write_stdout(script) ? kOk : kFailed;
  };
}

}  // namespace trainjobc::cli
