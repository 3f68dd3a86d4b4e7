// SPDX-License-Identifier: Apache-2.0

// Processes per node that don't match the GPUs per node.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "compile/advice/checks.h"
#include "k8s/quantity.h"
#include "launch/launch.h"
#include "launch/words.h"
#include "model/trainer_names.h"
#include "policy/gpu_count.h"
#include "policy/plugin.h"
#include "policy/plugins/torch.h"

namespace trainjobc::compile::advice::processes {
namespace {

using launch::is_tune_run;
using launch::Launch;
using launch::launch_of;
using launch::words_of;
using yaml::Entry;
using yaml::Node;

constexpr std::string_view kProcessesPerGpu = "advice/processes-per-gpu";
constexpr std::string_view kNoProcesses = "advice/no-processes";

// Devices that belong to a single process. A slice, or a GPU's memory, is another resource.
constexpr std::array<std::string_view, 3> kAccelerators{"nvidia.com/gpu", "amd.com/gpu", "habana.ai/gaudi"};

// The first limit in `resources` for such a device.
const Entry* devices_of(const Node* resources) {
  const Node* limits = resources ? resources->get("limits") : nullptr;
  if (!limits) return nullptr;
  for (const Entry& entry : limits->entries()) {
    if (base::contains(kAccelerators, entry.key)) return &entry;
  }
  return nullptr;
}

int64_t amount_of(const Entry& devices) {
  const auto quantity = k8s::Quantity::parse(devices.value->text());
  return quantity ? quantity->value() : 0;
}

std::string with_dashes(std::string_view word) {
  std::string text(word);
  std::ranges::replace(text, '_', '-');
  return text;
}

std::string_view after_equals(std::string_view word) {
  const size_t equals = word.find('=');
  return equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
}

// A number of processes in the input, and the devices of its node.
struct NodeShare {
  int64_t processes = 0;
  const Node* given = nullptr;
  std::string field;  // the field of the number
  const Entry* devices = nullptr;
};

// What is wrong with the share; "" if the numbers match. One process may use all devices.
std::string contradiction(const NodeShare& share) {
  const int64_t devices = amount_of(*share.devices);
  if (devices < 1 || share.processes == devices || share.processes <= 1) return "";
  if (share.processes > devices)
    return fmt::format("{} processes per node share its {} {}", share.processes, devices, share.devices->key);
  return fmt::format("{} processes per node leave {} of its {} {} idle, unless a process uses several",
                     share.processes, devices - share.processes, devices, share.devices->key);
}

void report(const NodeShare& share, std::string field, const base::Location& where, Advisor& advisor) {
  const std::string message = contradiction(share);
  if (message.empty()) return;
  base::Diagnostic& found =
      advisor.warn(kProcessesPerGpu, std::move(field), message, where,
                   fmt::format("{} would give one process each", amount_of(*share.devices)));
  add_note(found, fmt::format("the node's {}", share.devices->key), share.devices->value);
}

// The replicatedJob whose pods run the processes: MPI's nodes, otherwise those that train.
std::string_view replicated_job_of(const policy::RuntimeInfo& info) {
  if (info.policy->mpi) return model::kNode;
  const TrainerPlace trainer = trainer_of(info);
  return trainer.set ? trainer.set->name : std::string_view();
}

std::optional<int64_t> written_number(const Node* node) {
  return node ? node->as_int() : std::nullopt;
}

// The runtime's number of processes; 0 if it has none. `given` is nullptr if the number is not written in the
// runtime.
NodeShare runtime_share(const policy::RuntimeInfo& info) {
  NodeShare share;
  const policy::Framework* framework = policy::framework_of(info);
  if (!framework || !framework->has_processes) return share;
  share.given = info.policy->node->at({framework->field, "numProcPerNode"});
  share.field = fmt::format("spec.mlPolicy.{}.numProcPerNode", framework->field);
  share.processes = written_number(share.given).value_or(0);
  return share;
}

// Whether advice/launcher-setting says that a launcher's flag contradicts numProcPerNode.
bool contradicts_field(const Node* container, int64_t field) {
  if (!container) return false;
  const Launch launch = launch_of(words_of({container->get("command"), container->get("args")}));
  if (!launch.launcher || !launch.launcher->reads_family()) return false;
  for (const launch::Source& source : launch.launcher->sources(launch::Setting::Processes)) {
    const auto flag = launch.flag(source.name);
    if (const auto number = flag ? base::read_integer(flag->value) : std::nullopt) return *number != field;
  }
  return false;
}

// The number of processes in the job's torchrun command, which overrides numProcPerNode. `known` is false if
// the command has one that can't be read.
struct ProcessFlag {
  const Node* word = nullptr;
  std::string field;
  int64_t processes = 0;
  bool known = true;
};

ProcessFlag process_flag(const model::Trainer& trainer) {
  ProcessFlag flag;
  const policy::NodeList own = policy::torch::torchrun_words(trainer.command, trainer.args);
  const auto look_at = [&](const Node* words, std::string_view key) {
    for (size_t i = 0; words && i < words->size(); ++i) {
      const Node& word = *words->items()[i];
      if (!own.empty() && !base::contains(own, &word)) continue;  // a word of the script's own
      const std::string text = with_dashes(word.text());
      if (text.find("--nproc-per-node") == std::string::npos) continue;
      const bool is_alone = text == "--nproc-per-node" && i + 1 < words->size();
      const std::string_view value = is_alone ? words->items()[i + 1]->text() : after_equals(word.text());
      const auto number = text.starts_with("--nproc-per-node") ? base::read_integer(value) : std::nullopt;
      flag = {&word, fmt::format("spec.trainer.{}[{}]", key, i), number.value_or(0), number.has_value()};
    }
  };
  look_at(trainer.command, "command");
  look_at(trainer.args, "args");
  return flag;
}

// Flux's -g is the number of GPUs per process, but the controller passes the number per node.
void check_flux(const policy::RuntimeInfo& info, int64_t processes, std::string field,
                const base::Location& where, Advisor& advisor) {
  const int64_t gpus = policy::gpus_per_node(policy::resources_per_node(info));
  if (processes <= 1 || gpus < 1) return;
  advisor.warn(kProcessesPerGpu, std::move(field),
               fmt::format("Flux requests {} for each of the {} processes of a node, and the node has "
                           "no more than that: they never start",
                           base::counted(gpus, "GPU"), processes),
               where, "write numProcPerNode: 1");
}

// Trainer accepts the number, but the program that should start the processes ends at once: torchrun asserts
// that it is positive, Open MPI finds hosts without slots.
base::Diagnostic* report_no_processes(const policy::RuntimeInfo& info, int64_t number, std::string field,
                                      const base::Location& where, Advisor& advisor) {
  if (number >= 1) return nullptr;
  const std::string_view title = policy::framework_of(info)->title;
  return &advisor.warn(kNoProcesses, std::move(field),
                       fmt::format("{} jobs can't run with {} processes per node", title, number), where,
                       "write 1 or more, or leave it out");
}

void check_runtime_numbers(const RuntimeContext& context, Advisor& advisor) {
  const NodeShare share = runtime_share(context.info);
  const auto number = written_number(share.given);
  if (number) report_no_processes(context.info, *number, share.field, yaml::locate(*share.given), advisor);
}

// A wrong number in the runtime is reported there if the runtime is an input.
void check_job_numbers(const AdviceContext& context, Advisor& advisor) {
  const policy::RuntimeInfo& info = context.merged;
  const policy::Framework* framework = policy::framework_of(info);
  if (!framework || !framework->has_processes) return;
  const Node* own = context.job.trainer ? context.job.trainer->num_proc_per_node : nullptr;
  if (const auto number = written_number(own)) {
    report_no_processes(info, *number, "spec.trainer.numProcPerNode", yaml::locate(*own), advisor);
    return;
  }
  const NodeShare share = runtime_share(info);
  const auto number = written_number(share.given);
  if (own || !number || context.runtime_is_input) return;
  base::Diagnostic* found = report_no_processes(
      info, *number, "spec.runtimeRef", locate_key_of(context.job.root->get("spec"), "runtimeRef"), advisor);
  if (found) add_note(*found, "the runtime's number", share.given);
}

void check_runtime_processes(const RuntimeContext& context, Advisor& advisor) {
  NodeShare share = runtime_share(context.info);
  if (share.processes < 1) return;
  if (context.info.policy->flux) {
    check_flux(context.info, share.processes, share.field, yaml::locate(*share.given), advisor);
    return;
  }
  const std::string_view job = replicated_job_of(context.info);
  const policy::PodSet* set = context.info.pod_set_by_name(job);
  const policy::Container* node = set ? find_container(*set, model::kNode) : nullptr;
  share.devices = devices_of(node ? node->node->get("resources") : nullptr);
  if (share.devices) report(share, share.field, yaml::locate(*share.given), advisor);
}

void check_job_processes(const AdviceContext& context, Advisor& advisor) {
  const policy::RuntimeInfo& info = context.merged;
  const policy::Framework* framework = policy::framework_of(info);
  if (!context.job.trainer || !framework || !framework->has_processes) return;
  const model::Trainer& trainer = *context.job.trainer;
  NodeShare share = runtime_share(info);
  const auto number = written_number(trainer.num_proc_per_node);
  const ProcessFlag flag = info.policy->torch ? process_flag(trainer) : ProcessFlag();
  // If both numbers come from the runtime, it is reported there.
  const bool says_number = number || flag.word;
  if (!flag.known || (!says_number && (share.processes == 0 || !devices_of(trainer.resources_per_node))))
    return;
  const Node* container = rendered_node(context.admitted_job_set, replicated_job_of(info));
  if (number && framework->has_launchers && contradicts_field(container, *number)) return;
  base::Location where = locate_key_of(trainer.node, "resourcesPerNode");
  std::string field = "spec.trainer.resourcesPerNode";
  if (flag.word) {
    where = yaml::locate(*flag.word);
    field = flag.field;
  } else if (number) {
    where = yaml::locate(*trainer.num_proc_per_node);
    field = "spec.trainer.numProcPerNode";
  }
  if (info.policy->flux) {
    check_flux(info, number.value_or(share.processes), field, where, advisor);
    return;
  }
  if (!says_number && policy::random_processes(info)) return;  // advice/several-gpus reports it
  share.devices = devices_of(container ? container->get("resources") : nullptr);
  const auto rendered = rendered_number(context.admitted_job_set, policy::processes_of(*framework, info));
  share.processes = flag.word ? flag.processes : rendered.value_or(0);
  if (!share.devices) return;
  if (is_tune_run(trainer.command) && amount_of(*share.devices) == 1)
    return;  // advice/tune-command reports it
  report(share, field, where, advisor);
}

}  // namespace

Checks checks() {
  return {.job = {check_job_numbers, check_job_processes},
          .runtime = {check_runtime_numbers, check_runtime_processes}};
}

}  // namespace trainjobc::compile::advice::processes
