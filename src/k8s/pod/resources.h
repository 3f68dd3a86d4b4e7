// SPDX-License-Identifier: Apache-2.0

// Resource requests and limits.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "k8s/check/field.h"
#include "k8s/check/violation_report.h"
#include "k8s/pod/pod_spec.h"
#include "k8s/quantity.h"

namespace trainjobc::k8s::job {

// resources of a container.
void check_container_resources(const Field& resources, const PodFacts& facts, Report& report);
// resources of the whole pod: only CPU, memory and huge pages.
void check_pod_level_resources(const Field& resources, const PodFacts& facts, Report& report);
// overhead of the pod, which the API server checks like the limits of a container.
void check_overhead(const Field& overhead, Report& report);

// A non-negative amount, and a whole number if the resource is counted in units.
void check_amount(std::string_view resource, const Field& amount, Report& report);

// An amount as the API server stores it: rounded up to thousandths. nullopt if it is not a quantity.
std::optional<k8s::Quantity> stored_amount(const Field& amount);

bool is_huge_page(std::string_view resource);

}  // namespace trainjobc::k8s::job
