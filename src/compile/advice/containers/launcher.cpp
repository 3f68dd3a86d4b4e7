// SPDX-License-Identifier: Apache-2.0

// MPI launchers that start nothing on the other nodes, or start the program of one image on another.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/ascii.h"
#include "compile/advice/checks.h"
#include "compile/advice/containers/all_containers.h"
#include "compile/advice/containers/command_lines.h"
#include "compile/advice/rendered.h"
#include "model/trainer_names.h"

namespace trainjobc::compile::advice {
namespace {

using policy::PodSet;
using yaml::Node;
using Program = std::vector<std::string>;

constexpr std::string_view kDeepSpeed = "deepspeed";

// The launcher, if there are nodes too.
const PodSet* launcher_of(const policy::RuntimeInfo& info) {
  return info.is_mpi() && info.pod_set_by_name(model::kNode) ? info.pod_set_by_name(model::kLauncher)
                                                             : nullptr;
}

// Whether a word is or names a program that starts processes on other nodes (mpirun, mpiexec.hydra, prterun,
// horovodrun, mlx.launch, pdsh, srun), or tells one where they are.
bool may_launch(std::string_view word) {
  constexpr std::array<std::string_view, 9> kParts{"mpi", "prte", "orte",     "horovod",   "launch",
                                                   "ssh", "srun", "hostfile", "colossalai"};
  const std::string lower = base::lower_case(word);
  return std::ranges::any_of(kParts,
                             [&](std::string_view part) { return lower.find(part) != std::string::npos; });
}

// deepspeed reads /job/hostfile unless it is told another one, and without a hostfile uses its own node only.
// The controller's hostfile is /etc/mpi/hostfile.
bool is_deepspeed_alone(const Program& program) {
  return base_name(program.front()) == kDeepSpeed &&
         std::ranges::none_of(program, [](const std::string& word) { return word.starts_with("-H"); });
}

// Programs that train on the node on which they are started.
bool trains_here(const Program& program) {
  const std::string_view name = base_name(program.front());
  return name.starts_with("python") || name == "torchrun" || is_deepspeed_alone(program);
}

// Programs that start no others.
bool is_harmless(const Program& program) {
  constexpr std::array<std::string_view, 12> kNames{"cd",  "echo", "export", "ls",  "mkdir", "nvidia-smi",
                                                    "pip", "pip3", "printf", "set", "sleep", "true"};
  return std::ranges::find(kNames, base_name(program.front())) != kNames.end();
}

// The program that trains on the launcher only; "" if there is none, or the words don't show it.
std::string_view lone_program(const CommandLine& line) {
  if (!line.command || line.command->size() == 0) return "";
  const auto words = words_of(line);
  if (std::ranges::any_of(words, may_launch)) return "";
  const auto programs = programs_of(words);
  if (!std::ranges::all_of(programs, [](const Program& p) { return trains_here(p) || is_harmless(p); }))
    return "";
  const auto found = std::ranges::find_if(programs, trains_here);
  if (found == programs.end()) return "";
  const std::string_view name = base_name(found->front());
  return name == "torchrun" ? "torchrun" : name == kDeepSpeed ? kDeepSpeed : "python";
}

base::Diagnostic& report_launcher(std::string_view program, std::string field, const base::Location& where,
                                  Advisor& advisor) {
  if (program == kDeepSpeed)
    return advisor.warn("advice/mpi-launcher", std::move(field),
                        "the launcher runs deepspeed without --hostfile: it starts no processes on the nodes",
                        where, "use mpirun instead: [mpirun, python, …]");
  return advisor.warn(
      "advice/mpi-launcher", std::move(field),
      fmt::format("the launcher runs {} itself: nothing starts processes on the nodes", program), where,
      "start it with mpirun: [mpirun, …]");
}

// The images of the launcher and the nodes, and which of them the job replaces.
struct Images {
  const PodSet* replaced = nullptr;
  const PodSet* kept = nullptr;
  const policy::Container* old_container = nullptr;
  const policy::Container* kept_container = nullptr;
};

Images images_of(const policy::RuntimeInfo& info) {
  const PodSet* launcher = info.pod_set_by_name(model::kLauncher);
  const PodSet* node = info.pod_set_by_name(model::kNode);
  if (!launcher || !node) return {};
  const bool launcher_trains = launcher->ancestor == model::kTrainer;
  if (launcher_trains == (node->ancestor == model::kTrainer)) return {};
  Images images;
  images.replaced = launcher_trains ? launcher : node;
  images.kept = launcher_trains ? node : launcher;
  images.old_container = find_container(*images.replaced, model::kNode);
  images.kept_container = find_container(*images.kept, model::kNode);
  return images;
}

std::string_view image_of(const policy::Container* container) {
  return container && container->image ? container->image->text() : std::string_view();
}

}  // namespace

void check_runtime_launcher(const RuntimeContext& context, Advisor& advisor) {
  const PodSet* launcher = launcher_of(context.info);
  const policy::Container* node = launcher ? find_container(*launcher, model::kNode) : nullptr;
  if (!node || launcher->ancestor == model::kTrainer) return;  // its jobs say what it runs
  const CommandLine line{node->node->get("command"), node->node->get("args")};
  const std::string_view program = lone_program(line);
  if (program.empty()) return;
  const auto index = static_cast<size_t>(launcher - context.info.pod_sets.data());
  report_launcher(program,
                  fmt::format("{}.template.spec.template.spec.containers[{}].command",
                              replicated_job_field(index), node - launcher->containers.data()),
                  yaml::locate(*line.command->items().front()), advisor);
}

void check_job_launcher(const AdviceContext& context, Advisor& advisor) {
  const PodSet* launcher = launcher_of(context.merged);
  const Node* node = launcher && launcher->ancestor == model::kTrainer
                         ? rendered_node(context.admitted_job_set, model::kLauncher)
                         : nullptr;
  if (!node) return;
  const CommandLine line{node->get("command"), node->get("args")};
  const std::string_view program = lone_program(line);
  if (program.empty()) return;
  const Node* own = context.job.trainer ? context.job.trainer->command : nullptr;
  if (own && own->size() > 0) {
    report_launcher(program, "spec.trainer.command", yaml::locate(*own->items().front()), advisor);
  } else if (context.job.trainer && context.job.trainer->args) {
    report_launcher(program, "spec.trainer.args", locate_key_of(context.job.trainer->node, "args"), advisor);
  } else {
    base::Diagnostic& found = report_launcher(program, "spec.runtimeRef.name",
                                              yaml::locate(*context.job.runtime_ref.name.node), advisor);
    found.hint = "give the job a command that runs mpirun";
    add_note(found, "the runtime's command", line.command);
  }
}

void check_mpi_images(const AdviceContext& context, Advisor& advisor) {
  const Node* image = context.merged.is_mpi() && context.job.trainer ? context.job.trainer->image : nullptr;
  if (!image || image->text().empty()) return;
  const Images images = images_of(context.merged);
  const std::string_view kept = image_of(images.kept_container);
  const std::string_view replaced = image_of(images.old_container);
  // Images that differ in the runtime do so on purpose.
  if (kept.empty() || kept == image->text() || (!replaced.empty() && replaced != kept)) return;
  base::Diagnostic& found = advisor.warn(
      "advice/mpi-image", "spec.trainer.image",
      fmt::format("the image reaches only replicatedJob \"{}\": \"{}\" keeps \"{}\", and "
                  "mpirun runs one program on both",
                  images.replaced->name, images.kept->name, kept),
      yaml::locate(*image),
      fmt::format("use a runtime whose replicatedJob \"{}\" has this image too", images.kept->name));
  add_note(found, fmt::format("the image of \"{}\"", images.kept->name), images.kept_container->image);
}

}  // namespace trainjobc::compile::advice
