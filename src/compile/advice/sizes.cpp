// SPDX-License-Identifier: Apache-2.0

// Amounts of memory without a unit.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compile/advice/checks.h"
#include "compile/advice/containers/all_containers.h"
#include "compile/advice/pod_patches.h"
#include "k8s/quantity.h"

namespace trainjobc::compile::advice {
namespace {

using yaml::Entry;
using yaml::Node;

constexpr int64_t kLeast = 1 << 20;  // fewer bytes are a mistake

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// An amount in bytes or thousandths that is too small to be intended.
void check_size(std::string_view name, const Node* amount, const std::string& field, Advisor& advisor) {
  if (!amount || amount->text().empty()) return;
  std::string_view text = amount->text();
  const auto quantity = k8s::Quantity::parse(text);
  if (!quantity || quantity->sign() <= 0 || quantity->value() >= kLeast) return;
  const bool in_thousandths = text.ends_with('m');
  if (in_thousandths) text.remove_suffix(1);
  if (!std::ranges::all_of(text, is_digit)) return;
  const bool is_giga = !in_thousandths && quantity->value() <= 1024;
  advisor.warn("advice/size-unit", field,
               in_thousandths ? fmt::format("{}: {}m is {} thousandths of a byte", name, text, text)
                              : fmt::format("{}: {} is {} byte{}", name, text, text, text == "1" ? "" : "s"),
               yaml::locate(*amount), fmt::format("did you mean {}{}?", text, is_giga ? "Gi" : "Mi"));
}

void check_amounts(const Node* resources, const std::string& field, Advisor& advisor) {
  if (!resources) return;
  constexpr std::array<std::string_view, 2> kSizes{"memory", "ephemeral-storage"};
  for (const std::string_view list : {"limits", "requests"}) {
    const Node* amounts = resources->get(list);
    if (!amounts) continue;
    for (const std::string_view name : kSizes)
      check_size(name, amounts->get(name), fmt::format("{}.{}.{}", field, list, name), advisor);
  }
}

void check_volumes(const Node* pod_spec, const std::string& field, Advisor& advisor) {
  const Node* volumes = pod_spec ? pod_spec->get("volumes") : nullptr;
  if (!volumes) return;
  for (size_t i = 0; i < volumes->size(); ++i) {
    check_size("sizeLimit", volumes->items()[i]->at({"emptyDir", "sizeLimit"}),
               fmt::format("{}.volumes[{}].emptyDir.sizeLimit", field, i), advisor);
  }
}

}  // namespace

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

}  // namespace trainjobc::compile::advice
