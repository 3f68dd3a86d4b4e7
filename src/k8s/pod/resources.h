// SPDX-License-Identifier: Apache-2.0

// Resource requests and limits.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "k8s/field.h"
#include "k8s/pod/pod.h"
#include "k8s/quantity.h"
#include "k8s/violations.h"
#include "yaml/node.h"

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

// The edit that gives `request`, an entry of requests, an equal limit. `resources` holds both lists. Empty if
// the two come from different objects: one job does not change the limits of its runtime.
std::vector<base::Edit> limit_fix(const yaml::Node& resources, const yaml::Entry& request);

}  // namespace trainjobc::k8s::pod
