// SPDX-License-Identifier: Apache-2.0

// Programs that start JAX without the numbers that it does not read from the environment.
#include <fmt/format.h>

#include <algorithm>

#include "compile/advice/checks.h"
#include "compile/advice/containers/command_lines.h"
#include "policy/plugin.h"

namespace trainjobc::compile::advice {
namespace {

using policy::Framework;

// Whether the script calls the function without arguments.
bool calls_plainly(std::string_view script, std::string_view function) {
  for (size_t at = script.find(function); at != std::string_view::npos; at = script.find(function, at + 1)) {
    const std::string_view rest = script.substr(at + function.size());
    if (!rest.starts_with('(')) continue;
    const size_t next = rest.find_first_not_of(" \t\r\n", 1);
    if (next != std::string_view::npos && rest[next] == ')') return true;
  }
  return false;
}

// The variable with a process's own number.
std::string_view rank_variable(const Framework& framework) {
  const auto found = std::ranges::find_if(framework.env, [&](std::string_view name) {
    return name != framework.processes && name != framework.address;
  });
  return found != framework.env.end() ? *found : "";
}

}  // namespace

void check_jax_initialize(const AdviceContext& context, Advisor& advisor) {
  const Framework* framework = policy::framework_of(context.merged);
  if (!context.job.trainer || !framework || framework->field != "jax") return;
  const std::string function = fmt::format("{}.initialize", framework->env_reader);
  const auto check = [&](const yaml::Node* list, std::string_view field) {
    for (size_t i = 0; list && i < list->size(); ++i) {
      const yaml::Node& word = *list->items()[i];
      if (!calls_plainly(word.text(), function)) continue;
      base::Diagnostic& found = advisor.warn(
          "advice/jax-initialize", fmt::format("{}[{}]", field, i),
          fmt::format("{}() reads {} only: without arguments it does not know how many processes there are",
                      function, framework->address),
          yaml::locate(word),
          fmt::format("pass num_processes=int(os.environ[\"{}\"]), process_id=int(os.environ[\"{}\"])",
                      framework->processes, rank_variable(*framework)));
      found.hide_source = may_hold_secret(word.text());
    }
  };
  check(context.job.trainer->command, "spec.trainer.command");
  check(context.job.trainer->args, "spec.trainer.args");
}

}  // namespace trainjobc::compile::advice
