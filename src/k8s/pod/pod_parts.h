// SPDX-License-Identifier: Apache-2.0

// The parts of a pod spec, each checked by one function. `spec` is the pod's spec.
#pragma once

#include "k8s/check/field.h"
#include "k8s/check/violation_report.h"
#include "k8s/pod/pod_spec.h"

namespace trainjobc::k8s::job {

void check_affinity(const Field& affinity, Report& report);
// spec.dnsPolicy and spec.dnsConfig.
void check_dns(const Field& spec, Report& report);
// Host namespaces, host users and aliases, host ports of a pod on the host's network, the pod's own host
// name.
void check_host(const Field& spec, Report& report);
// spec.readinessGates and spec.schedulingGates.
void check_gates(const Field& spec, Report& report);
// Settings that only one operating system has, and spec.os itself.
void check_os(const Field& spec, Report& report);
void check_pod_security_context(const Field& spec, Report& report);
// spec.resources and spec.overhead.
void check_pod_resources(const Field& spec, const PodFacts& facts, Report& report);
void check_resource_claims(const Field& claims, Report& report);
void check_tolerations(const Field& tolerations, Report& report);
void check_topology_spread(const Field& constraints, Report& report);
// The volumes, in their order.
std::vector<PodVolume> check_volumes(const Field& volumes, Report& report);

// matchLabelKeys and mismatchLabelKeys beside a labelSelector, of a pod affinity term or a spread constraint.
void check_match_label_keys(const Field& term, std::string_view rule, Report& report);

}  // namespace trainjobc::k8s::job
