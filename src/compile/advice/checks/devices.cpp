// SPDX-License-Identifier: Apache-2.0

// GPUs and network adapters that pods are placed for, and don't ask for; GPUs that reach the launcher only,
// or are counted at random.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/text/text.h"
#include "compile/advice/checks.h"
#include "launch/script.h"
#include "launch/words.h"
#include "model/trainer_names.h"
#include "policy/gpu_count.h"
#include "policy/plugin.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::compile::advice::devices {
namespace {

using yaml::Entry;
using yaml::Node;

// Pods on GPU nodes that ask for no GPU.

constexpr std::string_view kNvidia = "nvidia.com/gpu";

// Labels and taints of nodes with GPUs, and the resource that a container asks for there.
struct GpuKey {
  std::string_view key;
  std::string_view resource = kNvidia;
};
constexpr std::array kGpuKeys = std::to_array<GpuKey>({{"nvidia.com/gpu"},
                                                       {"nvidia.com/gpu.present"},
                                                       {"nvidia.com/gpu.product"},
                                                       {"nvidia.com/gpu.family"},
                                                       {"nvidia.com/gpu.count"},
                                                       {"nvidia.com/gpu.memory"},
                                                       {"gpu.nvidia.com/class"},
                                                       {"gpu.nvidia.com/model"},
                                                       {"cloud.google.com/gke-accelerator"},
                                                       {"k8s.amazonaws.com/accelerator"},
                                                       {"karpenter.k8s.aws/instance-gpu-name"},
                                                       {"karpenter.k8s.aws/instance-gpu-count"},
                                                       {"kubernetes.azure.com/accelerator"},
                                                       {"amd.com/gpu", "amd.com/gpu"},
                                                       {"amd.com/gpu.product-name", "amd.com/gpu"},
                                                       {"gpu.intel.com/i915", "gpu.intel.com/i915"}});

// Labels with the type of a cloud's machine, and with its family; and how the types that have NVIDIA's GPUs
// begin: AWS's, Google's and Azure's.
constexpr std::array<std::string_view, 2> kTypeKeys{"node.kubernetes.io/instance-type",
                                                    "beta.kubernetes.io/instance-type"};
constexpr std::string_view kFamilyKey = "karpenter.k8s.aws/instance-family";
constexpr GpuKey kMachineType{"node.kubernetes.io/instance-type"};
constexpr std::array kGpuMachines = std::to_array<std::string_view>(
    {"p3.",         "p3dn.",       "p4d.",         "p4de.",       "p5.",          "p5e.",
     "p5en.",       "p6-b200.",    "p6-b300.",     "p6e-gb200.",  "g4dn.",        "g5.",
     "g6.",         "g6e.",        "a2-highgpu-",  "a2-megagpu-", "a2-ultragpu-", "a3-edgegpu-",
     "a3-highgpu-", "a3-megagpu-", "a3-ultragpu-", "a4-highgpu-", "a4x-highgpu-", "g2-standard-",
     "Standard_NC", "Standard_ND"});

// What places a pod on nodes with GPUs.
struct Placement {
  const GpuKey* gpu = nullptr;
  base::Location where;
  std::string_view field;  // of the pod's spec
  bool is_chosen = false;  // not only tolerated
};

const GpuKey* gpu_key(std::string_view key) {
  return base::find(kGpuKeys, key, &GpuKey::key);
}

// Whether the label with this value is of machines with GPUs only.
bool is_gpu_machine(std::string_view key, std::string_view value) {
  const std::string type = key == kFamilyKey ? fmt::format("{}.", value) : std::string(value);
  return (key == kFamilyKey || base::contains(kTypeKeys, key)) &&
         std::ranges::any_of(kGpuMachines, [&](std::string_view begin) { return type.starts_with(begin); });
}

const GpuKey* gpu_key(std::string_view key, std::string_view value) {
  return is_gpu_machine(key, value) ? &kMachineType : value == "false" ? nullptr : gpu_key(key);
}

// `expression` is of a node affinity.
const GpuKey* required_gpu(const Node& expression) {
  constexpr std::array<std::string_view, 3> kPresent{"In", "Exists", "Gt"};
  const std::string_view key = text_at(expression, "key");
  const std::string_view is = text_at(expression, "operator");
  const auto values = items_at(expression, {"values"});
  if (!base::contains(kPresent, is)) return nullptr;
  if (const GpuKey* gpu = gpu_key(key)) return gpu;
  const bool has_gpus = is == "In" && !values.empty() && std::ranges::all_of(values, [&](const Node* value) {
                          return is_gpu_machine(key, value->text());
                        });
  return has_gpus ? &kMachineType : nullptr;
}

std::optional<Placement> selected_gpus(const Node& pod) {
  const Node* selector = pod.get("nodeSelector");
  for (const Entry& entry : selector ? selector->entries() : std::span<const Entry>()) {
    if (const GpuKey* gpu = gpu_key(entry.key, entry.value->text()))
      return Placement{gpu, yaml::locate_key(entry), "nodeSelector", true};
  }
  return std::nullopt;
}

// If each of the terms, of which one must hold, asks for GPUs.
std::optional<Placement> required_gpus(const Node& pod) {
  std::optional<Placement> first;
  for (const Node* term :
       items_at(pod, {"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution",
                      "nodeSelectorTerms"})) {
    const auto expressions = items_at(*term, "matchExpressions");
    const auto at = std::ranges::find_if(
        expressions, [](const Node* expression) { return required_gpu(*expression) != nullptr; });
    if (at == expressions.end()) return std::nullopt;
    if (!first) first = Placement{required_gpu(**at), yaml::locate(*(*at)->get("key")), "affinity", true};
  }
  return first;
}

std::optional<Placement> tolerated_gpus(const Node& pod) {
  for (const Node* toleration : items_at(pod, "tolerations")) {
    const Node* key = toleration->get("key");
    const GpuKey* gpu = key ? gpu_key(key->text()) : nullptr;
    if (gpu) return Placement{gpu, yaml::locate(*key), "tolerations", false};
  }
  return std::nullopt;
}

std::optional<Placement> gpu_placement(const Node& pod) {
  if (auto selected = selected_gpus(pod)) return selected;
  if (auto required = required_gpus(pod)) return required;
  return tolerated_gpus(pod);
}

bool is_privileged(const Node& container) {
  return yaml::is_true_at(container, {"securityContext", "privileged"});
}

// Whether a container gets a device: it asks for a resource with a domain, or a claim, or may use all.
bool asks_for_device(const Node& container) {
  if (is_privileged(container)) return true;
  for (const std::string_view list : {"limits", "requests"}) {
    const Node* amounts = container.at({"resources", list});
    if (!amounts) continue;
    for (const Entry& entry : amounts->entries()) {
      if (entry.key.find('/') != std::string_view::npos) return true;
    }
  }
  return !items_at(container, {"resources", "claims"}).empty();
}

bool asks_for_device_in(const Node& pod) {
  // A runtime class, such as NVIDIA's, may expose all GPUs of the node to the container.
  if (!items_at(pod, "resourceClaims").empty() || pod.get("runtimeClassName")) return true;
  for (const std::string_view list : {"containers", "initContainers"}) {
    if (std::ranges::any_of(items_at(pod, list), [](const Node* item) { return asks_for_device(*item); }))
      return true;
  }
  return false;
}

// Whether the pods train. MPI's launcher only starts processes, unless it is one of the nodes.
bool has_training_pods(const policy::RuntimeInfo& info, const Node& job) {
  const bool has_nodes = info.is_mpi() && info.pod_set_by_name(model::kNode);
  if (has_nodes && !info.policy->mpi->run_launcher_as_node) return text_at(job, "name") == model::kNode;
  return model::ancestor_of(job) == model::kTrainer;
}

// Checks only pods that train: others may run anywhere.
void check_placed_pods(const AdviceContext& context, Advisor& advisor) {
  const auto jobs = items_at(context.admitted_job_set, {"spec", "replicatedJobs"});
  for (size_t i = 0; i < jobs.size(); ++i) {
    const Node* pod = jobs[i]->at({"template", "spec", "template", "spec"});
    if (!pod || !has_training_pods(context.merged, *jobs[i]) || asks_for_device_in(*pod)) continue;
    const std::optional<Placement> placed = gpu_placement(*pod);
    if (!placed) continue;
    base::Diagnostic& found =
        advisor.warn("advice/gpu-not-requested",
                     fmt::format("spec.replicatedJobs[{}].template.spec.template.spec.{}", i, placed->field),
                     fmt::format("the pods {} nodes with GPUs and ask for none: they get no GPU",
                                 placed->is_chosen ? "select" : "tolerate"),
                     placed->where,
                     fmt::format("add resourcesPerNode: {{limits: {{{}: …}}}}, with the GPUs of a node",
                                 placed->gpu->resource));
    add_note(found, "the job", context.job.root->at({"metadata", "name"}));
  }
}

// Network adapters of AWS.

constexpr std::string_view kEfa = "vpc.amazonaws.com/efa";
constexpr std::string_view kProvider = "FI_PROVIDER";

// Where a container chooses EFA, and whether mpirun passes it on to the nodes.
struct EfaChoice {
  base::Location where;
  std::string_view list;  // env, command or args
  bool is_passed_on = false;
};

// FI_PROVIDER=efa in a command, such as env's, in a script, or after mpirun -x.
std::optional<EfaChoice> efa_in_words(const Node& container) {
  constexpr std::string_view kAssignment = "FI_PROVIDER=efa";
  const launch::CommandLine line{container.get("command"), container.get("args")};
  const auto words = launch::words_of(line);
  const size_t script = launch::script_index(words);
  const auto has_assignment = [&](const std::vector<std::string>& command) {
    return base::contains(command, kAssignment);
  };
  for (size_t i = 0; i < words.size(); ++i) {
    const bool chooses = i == script ? std::ranges::any_of(launch::split_script(words[i]), has_assignment)
                                     : words[i] == kAssignment;
    if (!chooses) continue;
    const launch::WordPlace word = launch::place_of_word(line, i);
    return EfaChoice{
        yaml::WrittenText(*word.word).place_or_all(words[i].find(kAssignment), kAssignment.size()),
        word.in_args ? "args" : "command", i > 0 && words[i - 1] == "-x"};
  }
  return std::nullopt;
}

std::optional<EfaChoice> efa_choice(const Node& container) {
  const Node* provider = yaml::find_named(items_at(container, "env"), kProvider);
  const Node* value = provider ? provider->get("value") : nullptr;
  if (value && value->text() == "efa") return EfaChoice{yaml::locate(*value), "env"};
  return efa_in_words(container);
}

// A container of the JobSet.
struct RenderedContainer {
  const Node* job = nullptr;
  const Node* container = nullptr;
};

RenderedContainer mpi_node(std::span<const Node* const> jobs) {
  const Node* job = yaml::find_named(jobs, model::kNode);
  return {job, job ? yaml::find_named(items_at(*job, {"template", "spec", "template", "spec", "containers"}),
                                      model::kNode)
                   : nullptr};
}

void check_efa(const AdviceContext& context, Advisor& advisor) {
  const auto jobs = items_at(context.admitted_job_set, {"spec", "replicatedJobs"});
  for (size_t job = 0; job < jobs.size(); ++job) {
    const auto containers = items_at(*jobs[job], {"template", "spec", "template", "spec", "containers"});
    for (size_t i = 0; i < containers.size(); ++i) {
      const auto choice = efa_choice(*containers[i]);
      const RenderedContainer user =
          choice && choice->is_passed_on ? mpi_node(jobs) : RenderedContainer{jobs[job], containers[i]};
      if (!choice || !user.container || is_privileged(*user.container)) continue;
      if (user.container->at({"resources", "limits", kEfa})) continue;
      advisor.warn(
          "advice/efa",
          fmt::format("spec.replicatedJobs[{}].template.spec.template.spec.containers[{}].{}", job, i,
                      choice->list),
          fmt::format(
              "FI_PROVIDER names EFA, and \"{}\" of replicatedJob \"{}\" asks for no {}: it sees no adapter",
              text_at(*user.container, "name"), text_at(*user.job, "name"), kEfa),
          choice->where, fmt::format("add {} to its limits: the adapters of a node", kEfa));
    }
  }
}

// Several resources whose names say GPU.

void check_several(const AdviceContext& context, Advisor& advisor) {
  const policy::RuntimeInfo& info = context.merged;
  const Node* list = policy::random_processes(info);
  if (!list) return;
  std::vector<std::string> names;
  std::vector<std::string> numbers;
  const Entry* first = nullptr;
  for (const Entry& entry : list->entries()) {
    if (!policy::is_gpu(entry.key)) continue;
    if (!first) first = &entry;
    names.emplace_back(entry.key);
    numbers.emplace_back(entry.value->text());
  }
  const bool is_own = context.job.trainer && context.job.trainer->resources_per_node;
  advisor.warn("advice/several-gpus", is_own ? "spec.trainer.resourcesPerNode" : "spec.runtimeRef.name",
               fmt::format("a node has {} {}, at random: Trainer takes one of {} for the number of its GPUs",
                           fmt::join(numbers, " or "), info.is_mpi() ? "MPI slots" : "processes",
                           base::word_list(names)),
               yaml::locate_key(*first),
               info.is_mpi() ? "write spec.trainer.numProcPerNode" : "ask for one of them only");
}

// Trainer 2.0 sets the job's resources on MPI's launcher, and not on the nodes.
void check_launcher_only(const AdviceContext& context, Advisor& advisor) {
  const policy::RuntimeInfo& info = context.merged;
  const Node* resources = context.job.trainer ? context.job.trainer->resources_per_node : nullptr;
  if (!info.is_mpi() || info.behaviours->mpi.launched_node_trains || !info.policy->mpi->run_launcher_as_node)
    return;
  const Node* node = rendered_node(context.admitted_job_set, model::kNode);
  if (!resources || !node || asks_for_device(*node)) return;
  const Node* limits = resources->get("limits");
  const Node* requests = resources->get("requests");
  const bool has_gpus = (limits && policy::names_gpu(*limits)) || (requests && policy::names_gpu(*requests));
  if (!has_gpus) return;
  advisor.warn(
      "advice/launcher-resources", "spec.trainer.resourcesPerNode",
      fmt::format(
          "the GPUs reach only the launcher: Trainer {} does not set resourcesPerNode on replicatedJob "
          "\"{}\"",
          info.behaviours->trainer, model::kNode),
      locate_key_of(context.job.trainer->node, "resourcesPerNode"),
      "set them in the runtime too, or use Trainer 2.1 or newer");
}

}  // namespace

Checks checks() {
  return {.job = {check_placed_pods, check_efa, check_several, check_launcher_only}, .runtime = {}};
}

}  // namespace trainjobc::compile::advice::devices
