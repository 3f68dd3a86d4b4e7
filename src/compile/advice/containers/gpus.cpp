// SPDX-License-Identifier: Apache-2.0

// GPUs that can't be requested, and GPUs that aren't counted.
#include <fmt/format.h>

#include <optional>

#include "compile/advice/checks.h"
#include "compile/advice/containers/all_containers.h"
#include "compile/advice/rendered.h"
#include "compile/node_resources.h"
#include "k8s/name_syntax.h"
#include "k8s/pod/limit_fix.h"
#include "k8s/quantity.h"
#include "model/trainer_names.h"
#include "policy/plugin.h"

namespace trainjobc::compile::advice {
namespace {

using yaml::Entry;
using yaml::Node;

// Whether the cluster accepts the amount; a fix doesn't copy one that is refused.
bool is_whole(const Node& amount) {
  const auto quantity = k8s::Quantity::parse(amount.text());
  return quantity && quantity->milli_value() % 1000 == 0;
}

bool equal_amounts(const Node& a, const Node& b) {
  const auto x = k8s::Quantity::parse(a.text());
  const auto y = k8s::Quantity::parse(b.text());
  return x && y && x->to_string() == y->to_string();
}

void check_request(const ContainerPlace& place, const Entry& request, const Node* limits, Advisor& advisor) {
  const Node* limit = limits ? limits->get(request.key) : nullptr;
  if (!k8s::is_extended_resource(request.key) || !is_whole(*request.value) ||
      (limit && equal_amounts(*limit, *request.value)))
    return;
  const std::string field =
      fmt::format("{}.resources.{}[{}]", place.field, limit ? "limits" : "requests", request.key);
  if (limit) {
    advisor.warn("advice/gpu-limit", field,
                 fmt::format("jobs that don't set {0} themselves would be refused: its limit, {1}, does not "
                             "equal its request, {2}",
                             request.key, limit->text(), request.value->text()),
                 yaml::locate_key(request), "extended resources need a limit equal to the request");
    return;
  }
  advisor
      .warn("advice/gpu-limit", field,
            fmt::format(
                "jobs that don't limit {0} themselves would be refused: {0} is requested without a limit",
                request.key),
            yaml::locate_key(request),
            fmt::format("add limits: {{{}: {}}}", request.key, request.value->text()))
      .fix = k8s::job::limit_fix(*place.container.node->get("resources"), request);
}

// The first GPU resource of the node, of limits before requests.
const Entry* gpu_entry(const policy::NodeResources& resources) {
  for (const Node* list : {resources.limits, resources.requests}) {
    if (!list) continue;
    for (const Entry& entry : list->entries()) {
      if (entry.key.find("gpu") != std::string_view::npos && entry.value->text() != "0") return &entry;
    }
  }
  return nullptr;
}

// What hiding the node's GPUs changes; "" if nothing.
std::string effect_of_hiding(const AdviceContext& context, int64_t gpus) {
  const model::MLPolicy& policy = *context.merged.policy;
  const policy::Framework* framework = policy::framework_of(context.merged);
  const auto rendered =
      framework ? rendered_number(context.admitted_job_set, policy::processes_of(*framework, context.merged))
                : std::nullopt;
  const int64_t processes = rendered.value_or(0);
  const bool has_number = context.job.trainer->num_proc_per_node != nullptr;
  if (policy.torch) {
    if (has_number || !rendered || processes == gpus) return "";
    return fmt::format("torchrun starts {} process{} per node instead of one per GPU, which is {}", processes,
                       processes == 1 ? "" : "es", gpus);
  }
  if (policy.mpi) {
    const bool per_gpu = policy.mpi->num_proc_per_node && policy.mpi->num_proc_per_node->value == 1;
    if (has_number || !per_gpu || gpus == 1 || processes != 1) return "";
    return fmt::format("a node has 1 MPI slot instead of one per GPU, which is {}", gpus);
  }
  if (policy.xgboost) {
    if (gpus == 1 || !rendered) return "";
    return fmt::format("XGBoost counts {} worker{} instead of one per GPU, which is {}", processes,
                       processes == 1 ? "" : "s", processes * gpus);
  }
  return policy.flux ? fmt::format("Flux runs the command without GPUs instead of with {} per node", gpus)
                     : "";
}

}  // namespace

void check_gpu_limits(const RuntimeContext& context, Advisor& advisor) {
  if (context.has_jobs) return;  // the jobs' own errors report it
  for (const ContainerPlace& place : containers_of(context.info)) {
    // Resources that no job can set are errors.
    if (!takes_node_resources(context.info, place.set) ||
        &place.container != find_container(place.set, model::kNode))
      continue;
    const Node* resources = place.container.node->get("resources");
    const Node* requests = resources ? resources->get("requests") : nullptr;
    if (!requests) continue;
    for (const Entry& request : requests->entries())
      check_request(place, request, resources->get("limits"), advisor);
  }
}

void check_hidden_gpus(const AdviceContext& context, Advisor& advisor) {
  if (!context.merged.policy || !context.job.trainer || !context.job.trainer->resources_per_node) return;
  if (policy::gpus_per_node(policy::resources_per_node(context.merged)) != 0) return;
  // The node also has the runtime's resources; without the job's, only those count.
  model::TrainJob bare = context.job;
  bare.trainer.reset();
  policy::RuntimeInfo node = context.merged;
  node.job = &bare;
  const policy::NodeResources resources = policy::resources_per_node(node);
  const int64_t gpus = policy::gpus_per_node(resources);
  const std::string effect = gpus > 0 ? effect_of_hiding(context, gpus) : "";
  if (effect.empty()) return;
  const Entry* gpu = gpu_entry(resources);
  base::Diagnostic& found =
      advisor.warn("advice/hidden-gpus", "spec.trainer.resourcesPerNode",
                   fmt::format("{}: only resourcesPerNode is counted, which hides the runtime's", effect),
                   locate_key_of(context.job.trainer->node, "resourcesPerNode"));
  if (!gpu) return;
  found.hint = fmt::format("add them here too: limits: {{{}: {}}}", gpu->key, gpu->value->text());
  add_note(found, "the runtime's GPUs", gpu->value);
}

}  // namespace trainjobc::compile::advice
