// SPDX-License-Identifier: Apache-2.0

// Rules of the API server about Jobs and pods. The JobSet is stored all the same; then its controller can't
// create the Jobs, and only an event on the JobSet says so. Those about containers are in
// rules_job_container.cpp.
#include <array>

#include "rules/rules_tables.h"

namespace trainjobc::rules::tables {
namespace {

using enum base::Severity;
using base::Stage;

constexpr std::array kJobRules = std::to_array<Rule>({
    {"job/affinity", Stage::Job, Error, "A node or pod affinity is invalid",
     "Affinity terms have their own rules: In and NotIn need values and Exists allows none, Gt and Lt "
     "need exactly one, weights are 1 to 100, a required node affinity has at least one term, and a pod "
     "affinity term has a topologyKey. The API server refuses pods that break one of them.\n\n"
     "    matchExpressions:\n      - key: nvidia.com/gpu.product\n        operator: In\n"
     "        values: [NVIDIA-H100-80GB-HBM3]"},
    {"job/annotation", Stage::Job, Error, "An annotation of the pod template is invalid",
     "An annotation's key is a name of at most 63 characters, after a DNS prefix and a slash if it "
     "belongs to an organisation or tool, and all annotations of an object together hold at most 256 KiB. "
     "The API server refuses the Job otherwise. Put large data into a ConfigMap."},
    {"job/dns", Stage::Job, Error, "The pod's DNS settings are invalid",
     "dnsPolicy is ClusterFirst, ClusterFirstWithHostNet, Default or None, and None needs at least one "
     "nameserver in dnsConfig. dnsConfig allows at most three nameservers, which are IP addresses, and 32 "
     "search domains. The API server refuses pods with other settings.\n\n"
     "    dnsPolicy: None\n    dnsConfig:\n      nameservers: [10.0.0.10]"},
    {"job/gate", Stage::Job, Error, "A readiness or scheduling gate is invalid",
     "Gates are named like labels, with letters, digits, dashes, dots and an optional DNS prefix, and the "
     "list may contain a scheduling gate only once. The API server refuses the pod otherwise.\n\n"
     "    schedulingGates:\n      - name: example.com/quota"},
    {"job/host", Stage::Job, Error, "Settings that share the host with the pod contradict each other",
     "hostNetwork, hostPID and hostIPC need hostUsers to be true or absent, shareProcessNamespace "
     "excludes hostPID, and hostname, hostnameOverride and the names in hostAliases must be DNS names, "
     "with valid IP addresses in hostAliases. The API server refuses pods with settings that exclude each "
     "other. Remove one of the two that the message names."},
    {"job/label", Stage::Job, Error, "A label of the pod template is invalid",
     "A label's key is a name of at most 63 characters after an optional DNS prefix; its value is at most "
     "63 letters, digits, dashes, dots and underscores, and begins and ends with a letter or digit. "
     "Schedulers and selectors rely on this, so the API server refuses others. Free text belongs in an "
     "annotation."},
    {"job/name", Stage::Job, Error, "A name in the Job or its pods is invalid",
     "Names of containers, volumes and other parts are DNS labels: at most 63 lower-case letters, digits "
     "and dashes, without a dash at the beginning or end. Names of the objects that they refer to, such "
     "as service accounts, priority classes and secrets, may also contain dots. The API server refuses "
     "other names.\n\n"
     "    containers:\n      - name: node"},
    {"job/pod-failure-policy", Stage::Job, Error, "The pod failure policy of a Job is invalid",
     "Each rule has either onExitCodes or onPodConditions; exit codes are listed once, in ascending order "
     "and without 0 for In; FailIndex needs backoffLimitPerIndex; and the restartPolicy of the pods must "
     "be Never. The API server refuses the Job otherwise.\n\n"
     "    podFailurePolicy:\n      rules:\n        - action: FailJob\n"
     "          onExitCodes: {operator: In, values: [42]}"},
    {"job/pod-spec", Stage::Job, Error, "A setting of the pod is invalid",
     "The pod's own settings, such as its deadlines, grace period, priority, operating system and node "
     "selector, have limits and fixed values that the JobSet's schema does not check. The API server "
     "checks them only when the Job is created, and then refuses it. The message says what is allowed."},
    {"job/resource-claim", Stage::Job, Error, "A resource claim is invalid",
     "With dynamic resource allocation a pod lists resourceClaims, each from one claim or one template, "
     "and containers refer to them by name. The API server refuses names that are not in the list, names "
     "that are in the list twice, and claims with both sources or none.\n\n"
     "    resourceClaims:\n      - name: gpu\n        resourceClaimTemplateName: h100"},
    {"job/restart-policy", Stage::Job, Error, "A Job does not allow the pods' restart policy",
     "A Job ends, so the restartPolicy of its pods is Never or OnFailure; Always, the default of other "
     "pods, is refused. With a podFailurePolicy it must be Never, because the Job must see each failure. "
     "JobSet sets OnFailure if the field is missing.\n\n"
     "    restartPolicy: Never"},
    {"job/security-context", Stage::Job, Error, "A security context contradicts itself or the pod",
     "The API server refuses combinations that can't be applied: privileged with "
     "allowPrivilegeEscalation: false, a Localhost profile without a file, sysctls of a namespace that "
     "the pod shares with the host, Linux settings in a Windows pod, and negative user or group numbers. "
     "Remove one of the settings that the message names."},
    {"job/selector", Stage::Job, Error, "A label selector is invalid or does not select the Job's pods",
     "The API server generates a Job's selector and its labels controller-uid and job-name; your own "
     "values can't match them and are refused unless manualSelector is set. In all selectors, In and "
     "NotIn need values and Exists allows none. Remove the selector: JobSet needs none."},
    {"job/spec", Stage::Job, Error, "A count, limit or mode of the Job is invalid",
     "Counts must not be negative; an Indexed Job needs completions and runs at most 100,000 pods at "
     "once; backoffLimitPerIndex and maxFailedIndexes need an Indexed Job; podReplacementPolicy must be "
     "Failed with a podFailurePolicy. The JobSet's schema checks none of this, and the API server refuses "
     "the Job."},
    {"job/success-policy", Stage::Job, Error, "The success policy of a Job is invalid",
     "A success policy ends an Indexed Job early, so each rule names indexes, in ascending order, or a "
     "number of them, and they must exist among the completions. The API server refuses the Job "
     "otherwise.\n\n"
     "    successPolicy:\n      rules:\n        - succeededIndexes: 0,2-4"},
    {"job/toleration", Stage::Job, Error, "A toleration is invalid",
     "A toleration without a key needs the operator Exists, and Exists allows no value; tolerationSeconds "
     "needs the effect NoExecute. Otherwise the toleration would not mean what its author intended, so "
     "the API server refuses the pod.\n\n"
     "    tolerations:\n      - key: nvidia.com/gpu\n        operator: Exists\n"
     "        effect: NoSchedule"},
    {"job/topology-spread", Stage::Job, Error, "A topology spread constraint is invalid",
     "A constraint needs a topologyKey, a maxSkew of at least 1, and whenUnsatisfiable set to "
     "DoNotSchedule or ScheduleAnyway; minDomains is allowed with DoNotSchedule only, and no two "
     "constraints have the same topologyKey and whenUnsatisfiable. The API server refuses the pod "
     "otherwise.\n\n"
     "    topologySpreadConstraints:\n      - maxSkew: 1\n"
     "        topologyKey: topology.kubernetes.io/zone\n        whenUnsatisfiable: DoNotSchedule"},
    {"job/volume", Stage::Job, Error, "A volume of the pod is invalid",
     "A volume has a unique name and exactly one source, and each source has required fields and limits, "
     "such as a claimName or a mode from 0 to 0777. A volume without a source is an emptyDir. A patch "
     "that changes the source of a volume keeps the old source too: delete it in the patch. The API "
     "server refuses the pod otherwise. Claim templates, of an ephemeral volume or of "
     "volumeClaimPolicies, need access modes and a storage request; if JobSet can't create a claim, it "
     "creates no Job."},
});

}  // namespace

std::span<const Rule> job() {
  return kJobRules;
}

}  // namespace trainjobc::rules::tables
