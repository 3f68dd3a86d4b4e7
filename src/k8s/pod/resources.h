// SPDX-License-Identifier: Apache-2.0

// Resource requests and limits.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "k8s/field.h"
#include "k8s/pod/pod.h"
#include "k8s/quantity.h"
#include "k8s/violations.h"
#include "yaml/node.h"
#include "yaml/rewrite/insert.h"

namespace trainjobc::k8s::pod {

// resources of a container.
void check_container_resources(const Field& resources, const PodFacts& facts, Report& report);
// resources of the whole pod: only CPU, memory and huge pages.
void check_pod_level_resources(const Field& resources, const PodFacts& facts, Report& report);
// overhead of the pod, which the API server checks like the limits of a container.
void check_overhead(const Field& overhead, Report& report);

// A non-negative amount, and a whole number if the resource is counted in units.
void check_amount(std::string_view resource, const Field& amount, Report& report);

// An amount as the API server stores it: rounded up to thousandths. nullopt if it is not a quantity.
std::optional<Quantity> stored_amount(const Field& amount);

bool is_huge_page(std::string_view resource);

// The names under which vendors' device plugins offer all their devices: {"nvidia.com", "gpu"}.
struct Device {
  std::string_view domain;
  std::string_view name;
};
std::span<const Device> known_devices();

// Gives requests an equal limit. `resources` holds both lists, and outlives it.
class LimitFixes {
 public:
  explicit LimitFixes(const yaml::Node& resources);

  // The edit for an entry of requests. Empty if the two lists come from different objects: one job does not
  // change the limits of its runtime.
  std::vector<base::Edit> fix(const yaml::Entry& request);

 private:
  const yaml::Entry* limits_;
  const yaml::Entry* requests_;
  std::optional<yaml::MapBefore> new_limits_;  // if there are none
};

}  // namespace trainjobc::k8s::pod
