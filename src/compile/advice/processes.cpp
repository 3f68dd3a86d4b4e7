// Processes per node against GPUs per node.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compile/advice/containers.h"
#include "compile/advice/rendered.h"
#include "compile/advice/rules.h"
#include "model/names.h"
#include "yaml/quantity.h"

namespace trainjobc::compile::advice {
namespace {

using yaml::Entry;
using yaml::Node;

constexpr std::string_view kRule = "advice/processes-per-gpu";

// Devices that a process has for itself. A slice, or a GPU's memory, is another resource.
constexpr std::array<std::string_view, 3> kDevices{"nvidia.com/gpu", "amd.com/gpu", "habana.ai/gaudi"};

// The first limit of a container that is for such devices.
const Entry* devices_of(const Node* container) {
  const Node* limits = container ? container->at({"resources", "limits"}) : nullptr;
  if (!limits) return nullptr;
  for (const Entry& entry : limits->entries()) {
    if (std::ranges::find(kDevices, entry.key) != kDevices.end()) return &entry;
  }
  return nullptr;
}

int64_t amount_of(const Entry& devices) {
  const auto quantity = yaml::Quantity::parse(devices.value->text());
  return quantity ? quantity->value() : 0;
}

// A number of processes that was written down, and the devices of the node that it is for.
struct Plan {
  int64_t processes = 0;
  const Node* given = nullptr;
  std::string field;  // of what was given
  const Entry* devices = nullptr;
};

// "" where they go together. One process may well use all devices.
std::string contradiction(const Plan& plan) {
  const int64_t devices = amount_of(*plan.devices);
  if (devices < 1 || plan.processes == devices || plan.processes <= 1) return "";
  if (plan.processes > devices)
    return fmt::format("{} processes per node share its {} {}", plan.processes, devices, plan.devices->key);
  return fmt::format("{} processes per node leave {} of its {} {} idle, unless a process uses several",
                     plan.processes, devices - plan.processes, devices, plan.devices->key);
}

void report(const Plan& plan, std::string field, const base::Location& where, Advisor& advisor) {
  const std::string message = contradiction(plan);
  if (message.empty()) return;
  base::Diagnostic& found =
      advisor.warn(kRule, std::move(field), message, where,
                   fmt::format("one process each would be numProcPerNode: {}", amount_of(*plan.devices)));
  add_note(found, fmt::format("the node's {}", plan.devices->key), plan.devices->value);
}

// The pods whose devices the processes use: MPI's nodes, otherwise those that train.
std::string_view replicated_job_of(const policy::RuntimeInfo& info) {
  if (info.policy->mpi) return model::kNode;
  const TrainerPlace trainer = trainer_of(info);
  return trainer.set ? trainer.set->name : std::string_view();
}

std::optional<int64_t> written_number(const Node* node) {
  return node ? node->as_int() : std::nullopt;
}

// What the runtime says of processes; processes 0 where it says no number.
Plan runtime_plan(const policy::RuntimeInfo& info) {
  Plan plan;
  if (!info.policy) return plan;
  if (info.policy->mpi && info.policy->mpi->num_proc_per_node) {
    plan.given = info.policy->mpi->num_proc_per_node->node;
    plan.field = "spec.mlPolicy.mpi.numProcPerNode";
  } else if (info.policy->torch) {
    plan.given = info.policy->torch->num_proc_per_node;
    plan.field = "spec.mlPolicy.torch.numProcPerNode";
  }
  plan.processes = written_number(plan.given).value_or(0);
  return plan;
}

bool sets_devices(const model::Trainer& trainer) {
  const Node* limits = trainer.resources_per_node ? trainer.resources_per_node->get("limits") : nullptr;
  return limits && std::ranges::any_of(limits->entries(), [](const Entry& entry) {
           return std::ranges::find(kDevices, entry.key) != kDevices.end();
         });
}

}  // namespace

void check_runtime_processes(const RuntimeContext& context, Advisor& advisor) {
  Plan plan = runtime_plan(context.info);
  if (plan.processes == 0) return;
  const std::string_view job = replicated_job_of(context.info);
  const policy::PodSet* set = context.info.pod_set_by_name(job);
  const policy::Container* node = set ? find_container(*set, model::kNode) : nullptr;
  plan.devices = devices_of(node ? node->node : nullptr);
  if (plan.devices) report(plan, plan.field, yaml::locate(*plan.given), advisor);
}

void check_job_processes(const AdviceContext& context, Advisor& advisor) {
  const policy::RuntimeInfo& info = context.merged;
  if (!context.job.trainer || !info.policy || !(info.policy->torch || info.policy->mpi)) return;
  const model::Trainer& trainer = *context.job.trainer;
  Plan plan = runtime_plan(info);
  const bool says_number = written_number(trainer.num_proc_per_node).has_value();
  // Where both are the runtime's, it hears of it itself.
  if (!says_number && (plan.processes == 0 || !sets_devices(trainer))) return;
  plan.devices = devices_of(rendered_node(context.admitted_job_set, replicated_job_of(info)));
  const auto rendered = rendered_number(
      context.admitted_job_set, info.policy->mpi ? "OMPI_MCA_orte_set_default_slots" : "PET_NPROC_PER_NODE");
  if (!plan.devices || !rendered) return;
  plan.processes = *rendered;
  if (says_number) {
    report(plan, "spec.trainer.numProcPerNode", yaml::locate(*trainer.num_proc_per_node), advisor);
  } else {
    report(plan, "spec.trainer.resourcesPerNode", locate_key_of(trainer.node, "resourcesPerNode"), advisor);
  }
}

}  // namespace trainjobc::compile::advice
