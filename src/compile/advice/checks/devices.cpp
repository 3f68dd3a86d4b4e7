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
#include "model/trainer_names.h"
#include "policy/gpu_count.h"
#include "policy/plugin.h"

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
constexpr std::array<GpuKey, 11> kGpuKeys{{{"nvidia.com/gpu"},
                                           {"nvidia.com/gpu.present"},
                                           {"nvidia.com/gpu.product"},
                                           {"nvidia.com/gpu.count"},
                                           {"nvidia.com/gpu.memory"},
                                           {"cloud.google.com/gke-accelerator"},
                                           {"k8s.amazonaws.com/accelerator"},
                                           {"karpenter.k8s.aws/instance-gpu-name"},
                                           {"amd.com/gpu", "amd.com/gpu"},
                                           {"amd.com/gpu.product-name", "amd.com/gpu"},
                                           {"gpu.intel.com/i915", "gpu.intel.com/i915"}}};

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

std::optional<Placement> selected_gpus(const Node& pod) {
  const Node* selector = pod.get("nodeSelector");
  for (const Entry& entry : selector ? selector->entries() : std::span<const Entry>()) {
    const GpuKey* gpu = gpu_key(entry.key);
    if (gpu && entry.value->text() != "false")
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
    const auto at = std::ranges::find_if(expressions, [](const Node* expression) {
      constexpr std::array<std::string_view, 3> kPresent{"In", "Exists", "Gt"};
      return gpu_key(text_at(*expression, "key")) &&
             base::contains(kPresent, text_at(*expression, "operator"));
    });
    if (at == expressions.end()) return std::nullopt;
    const Node* key = (*at)->get("key");
    if (!first) first = Placement{gpu_key(key->text()), yaml::locate(*key), "affinity", true};
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

// Checks only the trainer's pods: others may run anywhere.
void check_placed_pods(const AdviceContext& context, Advisor& advisor) {
  const auto jobs = items_at(context.admitted_job_set, {"spec", "replicatedJobs"});
  for (size_t i = 0; i < jobs.size(); ++i) {
    const Node* pod = jobs[i]->at({"template", "spec", "template", "spec"});
    if (!pod || model::ancestor_of(*jobs[i]) != model::kTrainer || asks_for_device_in(*pod)) continue;
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

void check_efa(const AdviceContext& context, Advisor& advisor) {
  const auto jobs = items_at(context.admitted_job_set, {"spec", "replicatedJobs"});
  for (size_t job = 0; job < jobs.size(); ++job) {
    const auto containers = items_at(*jobs[job], {"template", "spec", "template", "spec", "containers"});
    for (size_t i = 0; i < containers.size(); ++i) {
      const Node* provider = yaml::find_named(items_at(*containers[i], "env"), "FI_PROVIDER");
      const Node* value = provider ? provider->get("value") : nullptr;
      if (!value || value->text() != "efa" || is_privileged(*containers[i])) continue;
      if (containers[i]->at({"resources", "limits", kEfa})) continue;
      advisor.warn(
          "advice/efa",
          fmt::format("spec.replicatedJobs[{}].template.spec.template.spec.containers[{}].env", job, i),
          fmt::format(
              "FI_PROVIDER names EFA, and \"{}\" of replicatedJob \"{}\" asks for no {}: it sees no adapter",
              text_at(*containers[i], "name"), text_at(*jobs[job], "name"), kEfa),
          yaml::locate(*value), fmt::format("add {} to its limits: the adapters of a node", kEfa));
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
