// SPDX-License-Identifier: Apache-2.0

#include "platform/amounts.h"

#include <fmt/format.h>

#include <utility>

#include "k8s/pod/pod.h"
#include "rules/rules.h"

namespace trainjobc::platform {

using yaml::Node;

std::optional<k8s::Quantity> amount_of(const Node* value) {
  return value && value->is_scalar() ? k8s::Quantity::parse(value->text()) : std::nullopt;
}

Amounts pod_limits(const Node& pod_spec) {
  Amounts amounts = k8s::pod::most_needed(pod_spec, "limits", k8s::Quantity::parse);
  for (const auto& [name, quantity] :
       k8s::pod::amounts_in(pod_spec.at({"resources", "limits"}), k8s::Quantity::parse)) {
    if (name == "cpu" || name == "memory" || name.starts_with("hugepages-")) amounts[name] = quantity;
  }
  for (const auto& [name, quantity] : k8s::pod::amounts_in(pod_spec.get("overhead"), k8s::Quantity::parse)) {
    const auto limit = amounts.find(name);
    if (limit != amounts.end() && !limit->second.is_zero()) limit->second.add(quantity);
  }
  return amounts;
}

base::Diagnostic pod_finding(std::string_view rule, const Subject& pod, const std::string& owner,
                             std::string message, const Node* culprit, std::string hint) {
  Place place;
  if (culprit) place = find_place(*pod.root, *culprit);
  if (!place.location.file) place.location = place_of_object(*pod.root);
  base::Diagnostic found = rules::finding(rule, std::move(message), std::move(hint), place.location);
  found.object = owner;
  found.field = place.field.empty() ? pod.field : fmt::format("{}.{}", pod.field, place.field);
  return found;
}

const Node* find_amount(const Node& pod_spec, std::string_view list, std::string_view resource) {
  for (const std::string_view key : {"containers", "initContainers"}) {
    for (const Node* container : yaml::items_at(pod_spec, key)) {
      if (const Node* amount = container->at({"resources", list, resource})) return amount;
    }
  }
  return pod_spec.at({"resources", list, resource});
}

}  // namespace trainjobc::platform
