// SPDX-License-Identifier: Apache-2.0

#include "k8s/pod/pod_spec.h"

#include <fmt/format.h>

#include "k8s/check/field_checks.h"
#include "k8s/container/containers.h"
#include "k8s/pod/label_selectors.h"
#include "k8s/pod/pod_parts.h"

namespace trainjobc::k8s::job {
namespace {

PodFacts facts_of(const Field& spec, std::vector<PodVolume> volumes) {
  PodFacts facts;
  const Field host_users = spec.child("hostUsers");
  facts.host_users = !host_users || host_users.is_true();
  facts.grace_period = spec.child("terminationGracePeriodSeconds").integer().value_or(facts.grace_period);
  const Field restart_policy = spec.child("restartPolicy");
  if (!restart_policy.text().empty()) facts.restart_policy = restart_policy.text();
  const Field os = spec.child("os");
  facts.os = os.child("name").text();
  facts.volumes = std::move(volumes);
  for_each_item(spec.child("resourceClaims"), [&](const Field& claim) {
    const Field name = claim.child("name");
    if (!name.text().empty()) facts.claims.push_back(name.text());
  });
  return facts;
}

// Names of other objects in the cluster.
void check_references(const Field& spec, Report& report) {
  for (const std::string_view name : {"nodeName", "priorityClassName"}) {
    check_optional_name(spec.child(name), Form::DnsSubdomain, rule::kName, name, report);
  }
  const Field account = spec.child("serviceAccountName");
  const Field old_name = spec.child("serviceAccountName", spec.child("serviceAccount").node());
  check_optional_name(account.text().empty() ? old_name : account, Form::DnsSubdomain, rule::kName,
                      "serviceAccountName", report);
  const Field runtime_class = spec.child("runtimeClassName");
  if (runtime_class) check_form(runtime_class, Form::DnsSubdomain, rule::kName, "runtimeClassName", report);
}

}  // namespace

void check_pod_spec(const Field& spec, std::vector<std::string_view> claim_templates, Report& report) {
  constexpr std::string_view kPreemption[] = {"PreemptLowerPriority", "Never"};
  PodFacts facts = facts_of(spec, check_volumes(spec.child("volumes"), report));
  facts.claim_templates = std::move(claim_templates);
  check_resource_claims(spec.child("resourceClaims"), report);
  check_containers(spec, facts, report);
  check_env_files(spec, facts, report);
  check_pod_resources(spec, facts, report);
  check_pod_security_context(spec, report);
  check_host(spec, report);
  check_optional_name(spec.child("subdomain"), Form::DnsLabel, rule::kHost, "subdomain", report);
  check_os(spec, report);
  check_dns(spec, report);
  check_labels(spec.child("nodeSelector"), "node label", report);
  check_affinity(spec.child("affinity"), report);
  check_tolerations(spec.child("tolerations"), report);
  check_topology_spread(spec.child("topologySpreadConstraints"), report);
  check_gates(spec, report);
  check_references(spec, report);
  check_range(spec.child("activeDeadlineSeconds"), 1, INT32_MAX, rule::kPodSpec, report);
  check_optional_one_of(spec.child("preemptionPolicy"), kPreemption, rule::kPodSpec, report);
}

void check_restart_policy(const Field& spec, bool has_failure_policy, Report& report) {
  constexpr std::string_view kPolicies[] = {"Never", "OnFailure"};
  const Field policy = spec.child("restartPolicy");
  if (policy.text().empty() || policy.text() == "Always") {
    report.add(rule::kRestartPolicy, policy, "a Job's pods can't have restartPolicy Always",
               "write Never or OnFailure");
  } else if (check_one_of(policy, kPolicies, rule::kRestartPolicy, report) && has_failure_policy &&
             policy.text() != "Never") {
    report.add(rule::kRestartPolicy, policy, "a podFailurePolicy needs restartPolicy: Never",
               "write restartPolicy: Never");
  }
}

}  // namespace trainjobc::k8s::job
