// SPDX-License-Identifier: Apache-2.0

// Amounts of devices and memory.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text/suggest.h"
#include "base/text/text.h"
#include "compile/advice/checks.h"
#include "compile/merge.h"
#include "k8s/name_syntax.h"
#include "k8s/pod/pod.h"
#include "k8s/quantity.h"
#include "k8s/violations.h"
#include "model/trainer_names.h"
#include "policy/plugin.h"
#include "rules/rules.h"
#include "yaml/rewrite/edits.h"

namespace trainjobc::compile::advice::resources {
namespace {

using yaml::Entry;
using yaml::Node;

// Names of devices that no device plugin offers.

using k8s::pod::Device;

// Other names that exist, though they are similar.
constexpr std::array<std::string_view, 4> kOthers{"nvidia.com/vgpu", "nvidia.com/pgpu", "nvidia.com/gpumem",
                                                  "nvidia.com/gpucores"};

std::string full_name(const Device& device) {
  return fmt::format("{}/{}", device.domain, device.name);
}

// Accepts GPU, gpus and GPUs for gpu.
bool is_name_of(std::string_view text, std::string_view name) {
  const std::string lower = base::lower_case(text);
  return lower == name || lower == fmt::format("{}s", name);
}

// Accepts nvidia, nvidea.com and nvidia.io for nvidia.com.
bool is_domain_of(std::string_view text, std::string_view domain) {
  constexpr size_t kTelling = 5;  // shorter words resemble too many others
  const size_t dot = domain.find('.');
  const std::string_view word = domain.substr(0, dot);
  const std::string_view rest = domain.substr(dot);
  if (text == domain || text == word) return true;
  if (word.size() < kTelling) return false;
  const size_t own_dot = std::min(text.find('.'), text.size());
  const std::string_view own_word = text.substr(0, own_dot);
  const std::string_view own_rest = text.substr(own_dot);
  const std::array candidates{word};
  if (own_rest == rest) return base::closest(own_word, candidates).has_value();
  return own_word == word && own_rest.rfind('.') == 0;
}

// The intended name of a resource; nullopt if the name may be right.
std::optional<std::string> meant_by(std::string_view resource) {
  const size_t slash = resource.find('/');
  if (slash == std::string_view::npos || base::contains(kOthers, resource)) return std::nullopt;
  const std::string_view domain = resource.substr(0, slash);
  const std::string_view name = resource.substr(slash + 1);
  if (base::lower_case(domain) != domain) return std::nullopt;  // the Job's own error reports it
  const auto is_it = [&](const Device& device) { return domain == device.domain && name == device.name; };
  if (std::ranges::any_of(k8s::pod::known_devices(), is_it)) return std::nullopt;
  for (const Device& device : k8s::pod::known_devices()) {
    if (is_domain_of(domain, device.domain) && is_name_of(name, device.name)) return full_name(device);
  }
  return std::nullopt;
}

// A name in both lists is renamed in both.
void add_other_list(base::Diagnostic& found, const Node* resources, std::string_view list,
                    std::string_view name, std::string_view meant) {
  const Node* others = resources->get(list == "limits" ? "requests" : "limits");
  const Entry* same = others ? others->find(name) : nullptr;
  if (!same || found.fix.empty()) return;
  for (base::Edit& edit : yaml::rename_key(*same, meant)) found.fix.push_back(std::move(edit));
}

void check_resources(const Node* resources, const std::string& field, Advisor& advisor) {
  std::set<std::string_view> seen;
  for (const std::string_view list : {"limits", "requests"}) {
    const Node* amounts = resources ? resources->get(list) : nullptr;
    if (!amounts) continue;
    for (const Entry& entry : amounts->entries()) {
      const auto meant = meant_by(entry.key);
      if (!meant || !seen.insert(entry.key).second) continue;
      base::Diagnostic& found = advisor.warn(
          "advice/device-name", fmt::format("{}.{}[{}]", field, list, entry.key),
          fmt::format("no node offers {}: the pods stay pending", entry.key), yaml::locate_key(entry));
      k8s::suggest_key(found, entry, *meant);
      add_other_list(found, resources, list, entry.key, *meant);
    }
  }
}

void check_runtime_devices(const RuntimeContext& context, Advisor& advisor) {
  for (const ContainerPlace& place : containers_of(context.info))
    check_resources(place.container.node->get("resources"), place.field + ".resources", advisor);
}

void check_job_devices(const AdviceContext& context, Advisor& advisor) {
  if (context.job.trainer)
    check_resources(context.job.trainer->resources_per_node, "spec.trainer.resourcesPerNode", advisor);
}

// GPUs that can't be requested, and GPUs that aren't counted.

// Whether the cluster accepts the amount; a fix must not copy one that it refuses.
bool is_whole(const Node& amount) {
  const auto quantity = k8s::Quantity::parse(amount.text());
  return quantity && quantity->milli_value() % 1000 == 0;
}

bool equal_amounts(const Node& a, const Node& b) {
  const auto x = k8s::Quantity::parse(a.text());
  const auto y = k8s::Quantity::parse(b.text());
  return x && y && x->to_string() == y->to_string();
}

void check_request(const ContainerPlace& place, const Entry& request, const Node* limits,
                   k8s::pod::LimitFixes& fixes, Advisor& advisor) {
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
      .fix = fixes.fix(request);
}

// The node's first GPU resource; limits come before requests.
const Entry* gpu_entry(const policy::NodeResources& resources) {
  for (const Node* list : {resources.limits, resources.requests}) {
    if (!list) continue;
    for (const Entry& entry : list->entries()) {
      if (entry.key.find("gpu") != std::string_view::npos && entry.value->text() != "0") return &entry;
    }
  }
  return nullptr;
}

// The effect of hiding the node's GPUs; "" if there is none.
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
  if (framework && framework->counts_gpus) {
    if (gpus == 1 || !rendered) return "";
    return fmt::format("{} counts {} instead of one per GPU, which is {}", framework->title,
                       base::counted(processes, "worker"), processes * gpus);
  }
  return policy.flux ? fmt::format("Flux runs the command without GPUs instead of with {} per node", gpus)
                     : "";
}

void check_gpu_limits(const RuntimeContext& context, Advisor& advisor) {
  if (context.has_jobs) return;  // errors of the jobs report it
  for (const ContainerPlace& place : containers_of(context.info)) {
    // Resources that a job can't set are errors.
    if (!takes_node_resources(context.info, place.set) ||
        &place.container != find_container(place.set, model::kNode))
      continue;
    const Node* resources = place.container.node->get("resources");
    const Node* requests = resources ? resources->get("requests") : nullptr;
    if (!requests) continue;
    k8s::pod::LimitFixes fixes(*resources);
    for (const Entry& request : requests->entries())
      check_request(place, request, resources->get("limits"), fixes, advisor);
  }
}

void check_hidden_gpus(const AdviceContext& context, Advisor& advisor) {
  if (!context.merged.policy || !context.job.trainer || !context.job.trainer->resources_per_node) return;
  if (policy::gpus_per_node(policy::resources_per_node(context.merged)) != 0) return;
  // The node also has the runtime's resources; in a job without its own, only those are left.
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
  const yaml::NewPair amount = yaml::pair_of(gpu->key, gpu->value->text());
  const Entry* own = context.job.trainer->node->find("resourcesPerNode");
  const Entry* limits = own ? own->value->find("limits") : nullptr;
  if (limits) base::suggest_fix(found, yaml::insert_first(*limits, amount));
  if (own && !limits) base::suggest_fix(found, yaml::insert_map_first(*own, "limits", amount));
  add_note(found, "the runtime's GPUs", gpu->value);
}

// Amounts of memory without a unit.

constexpr int64_t kLeast = 1 << 20;  // fewer bytes are a mistake

// Reports an amount in bytes or thousandths that is too small to be intended. With `stops`, no container
// starts with so small an amount.
void check_size(std::string_view name, const Node* amount, const std::string& field, bool stops,
                Advisor& advisor) {
  if (!amount || amount->text().empty()) return;
  std::string_view text = amount->text();
  const auto quantity = k8s::Quantity::parse(text);
  if (!quantity || quantity->sign() <= 0 || quantity->value() >= kLeast) return;
  const bool in_thousandths = text.ends_with('m');
  if (in_thousandths) text.remove_suffix(1);
  if (!std::ranges::all_of(text, base::is_digit)) return;
  const bool is_giga = !in_thousandths && quantity->value() <= 1024;
  base::Diagnostic& found = advisor.warn(
      "advice/size-unit", field,
      fmt::format("{}{}",
                  in_thousandths
                      ? fmt::format("{}: {}m is {} thousandths of a byte", name, text, text)
                      : fmt::format("{}: {} is {} byte{}", name, text, text, text == "1" ? "" : "s"),
                  stops ? ": no container can start with it" : ""),
      yaml::locate(*amount));
  const std::string meant = fmt::format("{}{}", text, is_giga ? "Gi" : "Mi");
  found.hint = fmt::format("did you mean \"{}\"?", meant);
  base::suggest_fix(
      found, amount->is_string() ? yaml::replace_text(*amount, meant) : yaml::replace_scalar(*amount, meant));
  if (!stops) rules::except(found);
}

void check_amounts(const Node* resources, const std::string& field, Advisor& advisor) {
  if (!resources) return;
  constexpr std::array<std::string_view, 2> kSizes{"memory", "ephemeral-storage"};
  for (const std::string_view list : {"limits", "requests"}) {
    for (const std::string_view name : kSizes) {
      const bool stops = list == "limits" && name == "memory";
      check_size(name, resources->at({list, name}), fmt::format("{}.{}.{}", field, list, name), stops,
                 advisor);
    }
  }
}

void check_volumes(const Node* pod_spec, const std::string& field, Advisor& advisor) {
  const auto volumes = yaml::items_of(pod_spec ? pod_spec->get("volumes") : nullptr);
  for (size_t i = 0; i < volumes.size(); ++i) {
    check_size("sizeLimit", volumes[i]->at({"emptyDir", "sizeLimit"}),
               fmt::format("{}.volumes[{}].emptyDir.sizeLimit", field, i), false, advisor);
  }
}

void check_runtime_sizes(const RuntimeContext& context, Advisor& advisor) {
  for (const ContainerPlace& place : containers_of(context.info))
    check_amounts(place.container.node->get("resources"), place.field + ".resources", advisor);
  for (size_t i = 0; i < context.info.pod_sets.size(); ++i) {
    check_volumes(context.info.pod_sets[i].pod_spec(),
                  replicated_job_field(i) + ".template.spec.template.spec", advisor);
  }
}

void check_job_sizes(const AdviceContext& context, Advisor& advisor) {
  if (context.job.trainer)
    check_amounts(context.job.trainer->resources_per_node, "spec.trainer.resourcesPerNode", advisor);
  for (const PodPatch& patch : pod_patches(context.job))
    check_volumes(patch.pod_spec, patch.pod_field, advisor);
}

}  // namespace

Checks checks() {
  return {.job = {check_job_devices, check_hidden_gpus, check_job_sizes},
          .runtime = {check_runtime_devices, check_gpu_limits, check_runtime_sizes}};
}

}  // namespace trainjobc::compile::advice::resources
