// SPDX-License-Identifier: Apache-2.0

#include "policy/pod_requests.h"

#include <string>
#include <vector>

#include "policy/build_nodes.h"
#include "yaml/fields.h"

namespace trainjobc::policy {
namespace {

using k8s::Quantity;
using yaml::Node;

ResourceTotals read_list(const Node* list) {
  ResourceTotals totals;
  if (!list) return totals;
  for (const yaml::Entry& entry : list->entries()) {
    if (const auto quantity = Quantity::parse(entry.value->text())) totals[entry.key] = *quantity;
  }
  return totals;
}

ResourceTotals requests_of(const Node& container) {
  return read_list(container.at({"resources", "requests"}));
}

void add(ResourceTotals& totals, const ResourceTotals& more) {
  for (const auto& [name, quantity] : more) {
    const auto [at, is_new] = totals.try_emplace(name, quantity);
    if (!is_new) at->second.add(quantity);
  }
}

void raise(ResourceTotals& totals, const ResourceTotals& least) {
  for (const auto& [name, quantity] : least) {
    const auto [at, is_new] = totals.try_emplace(name, quantity);
    if (!is_new && quantity.compare(at->second) > 0) at->second = quantity;
  }
}

bool is_sidecar(const Node& container) {
  return text_at(container, "restartPolicy") == "Always";
}

// Adds the needs of the init containers; sidecars run alongside everything that starts after them.
void add_init_containers(ResourceTotals& totals, const Node& pod_spec) {
  const Node* containers = pod_spec.get("initContainers");
  if (!containers) return;
  ResourceTotals sidecars;
  ResourceTotals peak;
  for (const Node* container : containers->items()) {
    ResourceTotals needed = requests_of(*container);
    if (is_sidecar(*container)) {
      add(totals, needed);
      add(sidecars, needed);
      needed = sidecars;
    } else {
      add(needed, sidecars);
    }
    raise(peak, needed);
  }
  raise(totals, peak);
}

bool is_pod_level(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || resource.starts_with("hugepages-");
}

}  // namespace

ResourceTotals pod_requests(const Node& pod_spec) {
  ResourceTotals totals;
  if (const Node* containers = pod_spec.get("containers")) {
    for (const Node* container : containers->items()) add(totals, requests_of(*container));
  }
  add_init_containers(totals, pod_spec);
  for (const auto& [name, quantity] : requests_of(pod_spec)) {
    if (is_pod_level(name)) totals[name] = quantity;
  }
  add(totals, read_list(pod_spec.get("overhead")));
  return totals;
}

Gang gang_of(const RuntimeInfo& info) {
  Gang gang;
  for (const PodSet& set : info.pod_sets) {
    gang.members += set.count.value;
    const Node* spec = set.gang_pod_spec ? set.gang_pod_spec : set.pod_spec();
    if (!spec) continue;
    for (auto& [name, quantity] : pod_requests(*spec)) {
      Quantity product = quantity;
      product.multiply(set.count.value);
      Quantity sum = gang.resources[name];
      sum.add(product);
      gang.resources[name] = sum;
    }
  }
  return gang;
}

const Node* to_node(const yaml::Maker& make, const ResourceTotals& totals, yaml::Origin origin) {
  std::vector<yaml::Entry> entries;
  entries.reserve(totals.size());
  for (const auto& [name, quantity] : totals) {
    entries.push_back({name, make.copied(quantity.to_string(), origin), {}});
  }
  return make.map(entries, origin);
}

}  // namespace trainjobc::policy
