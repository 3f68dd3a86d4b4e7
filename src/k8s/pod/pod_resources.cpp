// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "k8s/check/field_checks.h"
#include "k8s/pod/pod_parts.h"
#include "k8s/pod/resources.h"

namespace trainjobc::k8s::job {
namespace {

using k8s::Quantity;

using Amounts = std::map<std::string_view, Quantity>;

Amounts amounts_of(const Field& container, std::string_view list) {
  const Field resources = container.child("resources");
  Amounts out;
  for_each_entry(resources.child(list), [&](std::string_view resource, const Field& amount) {
    if (auto quantity = stored_amount(amount)) out.emplace(resource, std::move(*quantity));
  });
  return out;
}

void add(Amounts& to, const Amounts& amounts) {
  for (const auto& [resource, quantity] : amounts) {
    const auto [at, is_new] = to.emplace(resource, quantity);
    if (!is_new) at->second.add(quantity);
  }
}

void raise(Amounts& to, const Amounts& amounts) {
  for (const auto& [resource, quantity] : amounts) {
    const auto [at, is_new] = to.emplace(resource, quantity);
    if (!is_new && at->second.compare(quantity) < 0) at->second = quantity;
  }
}

// The most that containers need at the same time: the running ones with their sidecars, or an init container
// with the sidecars started before it.
Amounts needed(const Field& spec, std::string_view list) {
  Amounts running;
  for_each_item(spec.child("containers"),
                [&](const Field& container) { add(running, amounts_of(container, list)); });
  Amounts sidecars;
  Amounts starting;
  for_each_item(spec.child("initContainers"), [&](const Field& container) {
    const Amounts own = amounts_of(container, list);
    Amounts peak = sidecars;
    add(peak, own);
    raise(starting, peak);
    if (container.child("restartPolicy").text() != "Always") return;
    add(running, own);
    add(sidecars, own);
  });
  raise(running, starting);
  return running;
}

// `what` is "request" or "limit".
void check_covers(const Field& of_pod, const Amounts& containers, bool only_huge_pages, std::string_view what,
                  Report& report) {
  for_each_entry(of_pod, [&](std::string_view resource, const Field& amount) {
    const auto found = containers.find(resource);
    const auto quantity = stored_amount(amount);
    if (found == containers.end() || !quantity || found->second.compare(*quantity) <= 0) return;
    if (only_huge_pages && !is_huge_page(resource)) return;
    report.add(rule::kResources, amount,
               fmt::format("the pod's {} of {} {} is less than the {} of its containers", what,
                           quantity->to_string(), resource, found->second.to_string()),
               fmt::format("write {}", found->second.to_string()));
  });
}

void check_container_limits(const Field& spec, const Field& resources, Report& report) {
  const Field limits = resources.child("limits");
  const Field reported = resources.child("containers", nullptr);
  const Field containers = spec.child("containers");
  for (size_t i = 0; i < containers.size(); ++i) {
    const Field container = containers.item(i);
    const Field own = container.child("resources");
    const Field reported_container = reported.item(i);
    for_each_entry(own.child("limits"), [&](std::string_view resource, const Field& amount) {
      const Field most = limits.entry(resource);
      const auto quantity = stored_amount(amount);
      const auto bound = stored_amount(most);
      if (!most || !quantity || !bound || quantity->compare(*bound) <= 0) return;
      const Field reported_resource = reported_container.entry(resource);
      report.add(rule::kResources, reported_resource.child("limits", amount.node()),
                 fmt::format("the container's limit of {} {} is more than the pod's of {}",
                             quantity->to_string(), resource, bound->to_string()),
                 "lower it, or raise the pod's");
    });
  }
}

}  // namespace

void check_pod_resources(const Field& spec, const PodFacts& facts, Report& report) {
  check_overhead(spec.child("overhead"), report);
  const Field resources = spec.child("resources");
  if (!resources) return;
  if (facts.os == "windows") {
    report.add_at(resources.key_location(), rule::kResources, resources,
                  "a Windows pod can't have pod-level resources", "set them on its containers");
    return;
  }
  check_pod_level_resources(resources, facts, report);
  check_covers(resources.child("requests"), needed(spec, "requests"), false, "request", report);
  check_covers(resources.child("limits"), needed(spec, "limits"), true, "limit", report);
  check_container_limits(spec, resources, report);
}

}  // namespace trainjobc::k8s::job
