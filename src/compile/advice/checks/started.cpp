// SPDX-License-Identifier: Apache-2.0

// Whether what a container starts can train without a launcher: Python alone, a script that can't be seen, or
// nothing; and the numbers that the job gives to its own script.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "compile/advice/checks.h"
#include "compile/advice/trained.h"
#include "k8s/jobset/jobset.h"
#include "policy/plugin.h"
#include "rules/rules.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::compile::advice::started {
namespace {

using launch::base_name;
using launch::Launch;
using launch::script_index;
using launch::Setting;
using policy::Framework;
using yaml::Node;
using Kind = Launch::Kind;

constexpr std::string_view kNoLauncher = "advice/no-launcher";
constexpr std::string_view kUnseenLauncher = "advice/unseen-launcher";
constexpr std::string_view kLauncherSetting = "advice/launcher-setting";

// Reports that the program should be started with the framework's own launcher.
base::Diagnostic& report_no_launcher(const TrainingContainer& trained, std::string message,
                                     Advisor& advisor) {
  const Launch& launch = trained.launch;
  const Framework& framework = *trained.framework;
  return trained.command.report(
      kNoLauncher, launch.word, std::move(message),
      fmt::format("start it with {}: {}", framework.env_reader, words_for(framework, launch)), advisor,
      written_program(launch));
}

void report_nodes_alone(const TrainingContainer& trained, Advisor& advisor) {
  const Launch& launch = trained.launch;
  base::Diagnostic& found = report_no_launcher(
      trained,
      fmt::format("{} starts one process on each node, and does not read {}: the {} nodes train alone, each "
                  "the whole job",
                  launch.name(), trained.framework->env_family, trained.nodes),
      advisor);
  base::suggest_fix(found, start_with_reader(trained, launch));
}

void report_one_process(const TrainingContainer& trained, int64_t wanted, Advisor& advisor) {
  base::Diagnostic& found = report_no_launcher(
      trained,
      fmt::format("{} is one process, and the node is to run {}, unless the script starts the others",
                  trained.launch.name(), wanted),
      advisor);
  base::suggest_fix(found, start_with_reader(trained, trained.launch));
  rules::except(found);
}

void report_no_ranks(const TrainingContainer& trained, Advisor& advisor) {
  const Launch& launch = trained.launch;
  base::Diagnostic& found =
      report_no_launcher(trained,
                         fmt::format("{} does not read {}: {} finds no RANK, and fails", launch.name(),
                                     trained.framework->env_family, launch.needs_ranks),
                         advisor);
  base::suggest_fix(found, start_code_with_reader(trained, launch));
}

// Code on the command line that doesn't use the framework doesn't train.
bool trains_nothing(const Launch& launch, const Framework& framework) {
  const auto flag = std::ranges::find(launch.program, "-c");
  return flag != launch.program.end() && flag + 1 != launch.program.end() &&
         (flag + 1)->find(framework.title) == std::string::npos;
}

void check_python(const TrainingContainer& trained, Advisor& advisor) {
  const Launch& launch = trained.launch;
  if (launch.kind != Kind::OneProcess || !launch.is_python()) return;
  if (trains_nothing(launch, *trained.framework) || sets_ranks(trained)) return;
  if (!launch.needs_ranks.empty()) return report_no_ranks(trained, advisor);
  if (trained.nodes > 1) return report_nodes_alone(trained, advisor);
  const auto wanted = wanted_per_node(trained);
  if (wanted.value_or(1) > 1) report_one_process(trained, *wanted, advisor);
}

// A program that can't be seen may or may not start the job's processes.
void check_unseen_script(const TrainingContainer& trained, Advisor& advisor) {
  if (script_index(trained.words()) < trained.words().size()) return;
  const auto file = std::ranges::find_if(trained.words(), [](std::string_view word) {
    return word.ends_with(".sh") || word.ends_with(".bash");
  });
  if (file == trained.words().end()) return;
  trained.command.report(kUnseenLauncher, static_cast<size_t>(file - trained.words().begin()),
                         fmt::format("whether {} starts {} on the {} nodes can't be seen here",
                                     base_name(*file), trained.framework->env_reader, trained.nodes),
                         "", advisor);
}

void check_unseen(const TrainingContainer& trained, Advisor& advisor) {
  const Launch& launch = trained.launch;
  if (trained.nodes < 2) return;
  if (launch.kind == Kind::Unknown && !sets_ranks(trained)) return check_unseen_script(trained, advisor);
  if (launch.kind != Kind::Launcher || trained.start().result) return;
  trained.command.report(
      kUnseenLauncher, launch.word,
      fmt::format("whether {} finds the job's other nodes can't be seen here", launch.name()), "", advisor,
      written_program(launch));
}

// Containers that don't run a program of the user.

// Images whose own command is a shell or an interpreter, which exits at once without a terminal.
bool opens_shell(std::string_view image) {
  constexpr std::array<std::string_view, 9> kImages{"pytorch/pytorch",
                                                    "python",
                                                    "nvcr.io/nvidia/pytorch",
                                                    "nvcr.io/nvidia/jax",
                                                    "nvcr.io/nvidia/cuda",
                                                    "nvidia/cuda",
                                                    "tensorflow/tensorflow",
                                                    "ubuntu",
                                                    "huggingface/transformers-pytorch-gpu"};
  return base::contains(kImages, repository_of(image));
}

void check_no_command(const TrainingContainer& trained, Advisor& advisor) {
  if (trained.command.line().command && trained.command.line().command->size() > 0) return;
  const std::string_view image = text_at(*trained.container, "image");
  if (!opens_shell(image)) return;
  if (trained.words().empty()) {
    const model::TrainJob& job = trained.context.job;
    const base::Location section = locate_key_of(job.root->get("spec"), "trainer");
    advisor.warn("advice/no-command", "spec.trainer.command",
                 fmt::format("nothing trains: neither the job nor its runtime has a command, and image "
                             "\"{}\" only opens a shell or an interpreter",
                             image),
                 section.file ? section : yaml::locate(*job.runtime_ref.name.node),
                 trained.has_launchers() && !trained.framework->env_reader.empty()
                     ? fmt::format("add a command: [{}, train.py]", trained.framework->env_reader)
                     : "add a command");
  } else if (trained.words().front().starts_with('-')) {
    trained.command.report(
        "advice/no-command", 0,
        fmt::format("args without a command: the container looks for a program called \"{}\", since "
                    "image \"{}\" starts none itself",
                    trained.words().front(), image),
        "add a command", advisor);
  }
}

// Numbers and addresses that the job sets for its own script.

// The right value for a variable; "" if its own may be right.
std::string wrong_value(const TrainingContainer& trained, std::string_view name, std::string_view value) {
  if (name == "MASTER_ADDR") {
    if (k8s::jobset::is_foreign_pod(k8s::jobset::view_job_set(trained.context.admitted_job_set), value))
      return foreign_pod(trained.context, value);
    return trained.nodes > 1 && is_this_host(value)
               ? fmt::format("{} is another host on each of the {} nodes: they never meet", value,
                             trained.nodes)
               : "";
  }
  const auto number = base::read_integer(value);
  if (!number || *number == trained.nodes) return "";
  const std::string nodes = base::counted(trained.nodes, "node");
  if (name == "NNODES") return fmt::format("{} contradicts the job, which has {}", value, nodes);
  // Some programs count nodes, some processes.
  const auto wanted = wanted_per_node(trained);
  if (!wanted)
    return *number % trained.nodes == 0 ? ""
                                        : fmt::format("{} is not a multiple of the job's {}", value, nodes);
  if (*number == trained.nodes * *wanted) return "";
  return fmt::format("{} is neither the job's {} nor its {} processes", value, nodes,
                     trained.nodes * *wanted);
}

// Suggests the right value of the variable if there is only one.
void suggest_value(const TrainingContainer& trained, std::string_view name, const Node& value,
                   base::Diagnostic& found) {
  const auto processes = wanted_per_node(trained);
  if (name == "WORLD_SIZE" && processes.value_or(0) > 1) {
    found.hint = fmt::format("write \"{}\" if it counts processes, \"{}\" if nodes",
                             trained.nodes * *processes, trained.nodes);
    return;
  }
  const std::string meant = name == "MASTER_ADDR" ? policy::first_node_address(trained.context.merged)
                                                  : std::to_string(trained.nodes);
  if (meant.empty() || (name == "WORLD_SIZE" && !processes)) return;
  found.hint = fmt::format("write {}", name == "MASTER_ADDR" ? meant : fmt::format("\"{}\"", meant));
  base::suggest_fix(found, yaml::replace_text(value, meant));
}

void check_env_numbers(const TrainingContainer& trained, Advisor& advisor) {
  const bool is_set_by_launcher = trained.launch.launcher && trained.launch.launcher->reads_family();
  const Node* own = trained.context.job.trainer->env;
  for (const Node* item : yaml::items_at(*trained.container, "env")) {
    const std::string_view name = text_at(*item, "name");
    const Node* value = item->get("value");
    if (!value || !base::contains(kNumberVariables, name)) continue;
    if (is_set_by_launcher && name != "NNODES") continue;  // torchrun replaces the others
    const std::string message = wrong_value(trained, name, value->text());
    if (message.empty()) continue;
    const auto items = yaml::items_of(own);
    const auto at =
        std::ranges::find_if(items, [&](const Node* one) { return text_at(*one, "name") == name; });
    const bool is_own = at != items.end();
    base::Diagnostic& found = advisor.warn(
        kLauncherSetting,
        is_own ? fmt::format("spec.trainer.env[{}].value", at - items.begin()) : "spec.runtimeRef.name",
        fmt::format("{}: {}", name, message),
        yaml::locate(is_own ? *value : *trained.context.job.runtime_ref.name.node));
    if (is_own) {
      suggest_value(trained, name, *value, found);
    } else {
      add_note(found, "the runtime's variable", value);
    }
  }
}

void check_script_numbers(const TrainingContainer& trained, Advisor& advisor) {
  for (size_t i = 0; i < trained.words().size(); ++i) {
    std::string flag(trained.words()[i].substr(0, trained.words()[i].find('=')));
    std::ranges::replace(flag, '_', '-');
    if (flag != "--world-size") continue;
    const size_t equals = trained.words()[i].find('=');
    if (equals == std::string_view::npos && i + 1 == trained.words().size()) continue;
    const std::string_view value =
        equals == std::string_view::npos ? trained.words()[i + 1] : trained.words()[i].substr(equals + 1);
    const std::string message = wrong_value(trained, "WORLD_SIZE", value);
    if (!message.empty())
      trained.command.report(kLauncherSetting, i, fmt::format("{}: {}", flag, message), "", advisor);
  }
}

void check_trained(const TrainingContainer& trained, Advisor& advisor) {
  check_no_command(trained, advisor);
  if (!trained.has_launchers()) return;
  check_python(trained, advisor);
  check_unseen(trained, advisor);
  check_env_numbers(trained, advisor);
  const launch::Program* launcher = trained.launch.launcher;
  if (!launcher || launcher->sources(Setting::World).empty()) check_script_numbers(trained, advisor);
}

}  // namespace

Checks checks() {
  return {.training = {check_trained}};
}

}  // namespace trainjobc::compile::advice::started
