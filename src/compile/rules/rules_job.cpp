// Rules of the API server about Jobs and pods. The JobSet is stored all the same; then its controller can't
// create the Jobs, and nothing but an event on the JobSet says so. Those about containers stand in
// rules_job_container.cpp.
#include <array>

#include "compile/rules/rules_tables.h"

namespace trainjobc::compile::rules {
namespace {

using enum base::Severity;
using base::Stage;

constexpr std::array kRules = std::to_array<Rule>({
    {"job/affinity", Stage::Job, Error, "A node or pod affinity is malformed",
     "Affinity terms have rules of their own: In and NotIn need values and Exists takes none, Gt and Lt "
     "take exactly one, weights are 1 to 100, a required node affinity has at least one term and a pod "
     "affinity a topologyKey. The API server refuses pods that break one.\n\n"
     "    matchExpressions:\n      - key: nvidia.com/gpu.product\n        operator: In\n"
     "        values: [NVIDIA-H100-80GB-HBM3]"},
    {"job/annotation", Stage::Job, Error, "An annotation of the pod template is malformed",
     "An annotation's key is a name of at most 63 characters, with a DNS prefix and a slash before it if "
     "it belongs to somebody, and all annotations of an object hold at most 256 KiB. The API server "
     "refuses the Job otherwise. Put large data into a ConfigMap."},
    {"job/dns", Stage::Job, Error, "The DNS settings of the pod are invalid",
     "dnsPolicy is ClusterFirst, ClusterFirstWithHostNet, Default or None, and None needs at least one "
     "nameserver in dnsConfig. At most three nameservers, which are IP addresses, and 32 search domains "
     "are allowed. The API server refuses pods with others.\n\n"
     "    dnsPolicy: None\n    dnsConfig:\n      nameservers: [10.0.0.10]"},
    {"job/gate", Stage::Job, Error, "A readiness or scheduling gate is invalid",
     "Gates are named like labels, with letters, digits, dashes, dots and an optional DNS prefix, and a "
     "scheduling gate may stand in the list only once. The API server refuses the pod otherwise.\n\n"
     "    schedulingGates:\n      - name: example.com/quota"},
    {"job/host", Stage::Job, Error, "Settings that share the host with the pod contradict each other",
     "hostNetwork, hostPID and hostIPC need hostUsers to be true or absent, shareProcessNamespace "
     "excludes hostPID, and hostname, hostnameOverride and the names in hostAliases have to be DNS names "
     "with valid IP addresses. The API server refuses pods that mix what excludes each other. Remove one "
     "of the two that the message names."},
    {"job/label", Stage::Job, Error, "A label of the pod template is malformed",
     "A label's key is a name of at most 63 characters with an optional DNS prefix, its value at most 63 "
     "letters, digits, dashes, dots and underscores that begin and end with a letter or digit. Schedulers "
     "and selectors rely on that, so the API server refuses others. Free text belongs into an annotation."},
    {"job/name", Stage::Job, Error, "A name in the Job or its pods is malformed",
     "Containers, volumes and other parts are named by DNS labels: at most 63 lower-case letters, digits "
     "and dashes, no dash first or last. Objects that they refer to, such as service accounts, priority "
     "classes and secrets, may have dots, too. The API server refuses other names.\n\n"
     "    containers:\n      - name: node"},
    {"job/pod-failure-policy", Stage::Job, Error, "The pod failure policy of a Job is invalid",
     "Each rule has either onExitCodes or onPodConditions; exit codes are listed once, in ascending order "
     "and without 0 under In; FailIndex needs backoffLimitPerIndex; and the pods' restartPolicy must be "
     "Never. The API server refuses the Job otherwise.\n\n"
     "    podFailurePolicy:\n      rules:\n        - action: FailJob\n"
     "          onExitCodes: {operator: In, values: [42]}"},
    {"job/pod-spec", Stage::Job, Error, "A setting of the pod is invalid",
     "The pod's own settings, such as its deadlines, grace period, priority, operating system and node "
     "selector, have bounds and fixed words that the schema of a JobSet does not carry. The API server "
     "checks them only when the Job is created, and refuses it. The message says what is allowed."},
    {"job/resource-claim", Stage::Job, Error, "A claim for devices is invalid",
     "With dynamic resource allocation a pod lists resourceClaims, each from one claim or one template, "
     "and containers refer to them by name. The API server refuses names that are not in the list, names "
     "that are there twice, and claims from both or neither.\n\n"
     "    resourceClaims:\n      - name: gpu\n        resourceClaimTemplateName: h100"},
    {"job/restart-policy", Stage::Job, Error, "The pods' restart policy is none that a Job takes",
     "A Job ends, so its pods restart Never or OnFailure; the default of other pods, Always, is refused. "
     "With a podFailurePolicy it has to be Never, since the Job must see each failure. JobSet fills in "
     "OnFailure where nothing is said.\n\n"
     "    restartPolicy: Never"},
    {"job/security-context", Stage::Job, Error, "A security context contradicts itself or the pod",
     "The API server refuses combinations that can't be carried out: privileged with "
     "allowPrivilegeEscalation: false, a Localhost profile without a file, sysctls of a namespace that is "
     "the host's, Linux settings in a Windows pod, and negative user or group numbers. Remove one of "
     "those that the message names."},
    {"job/selector", Stage::Job, Error, "A label selector is malformed or does not select the Job's pods",
     "A Job's selector and its labels controller-uid and job-name are generated by the API server; values "
     "of your own can't match them and are refused unless manualSelector is set. In all selectors, In and "
     "NotIn need values and Exists takes none. Remove the selector: JobSet needs none."},
    {"job/spec", Stage::Job, Error, "A count, limit or mode of the Job is invalid",
     "Counts must not be negative; an Indexed Job needs completions and runs at most 100,000 pods at "
     "once; backoffLimitPerIndex and maxFailedIndexes need an Indexed Job; podReplacementPolicy is Failed "
     "under a podFailurePolicy. The JobSet's schema lets all of this through, and the API server refuses "
     "the Job."},
    {"job/success-policy", Stage::Job, Error, "The success policy of a Job is invalid",
     "A success policy ends an Indexed Job early, so each rule names indexes or a number of them that "
     "exist among the completions, in ascending order. The API server refuses the Job otherwise.\n\n"
     "    successPolicy:\n      rules:\n        - succeededIndexes: 0,2-4"},
    {"job/toleration", Stage::Job, Error, "A toleration is malformed",
     "A toleration without a key must have operator Exists, and Exists takes no value; tolerationSeconds "
     "needs effect NoExecute. The API server refuses the pod otherwise, which would mean something else "
     "than was meant.\n\n"
     "    tolerations:\n      - key: nvidia.com/gpu\n        operator: Exists\n        effect: NoSchedule"},
    {"job/topology-spread", Stage::Job, Error, "A topology spread constraint is malformed",
     "A constraint needs a topologyKey, a maxSkew of at least 1 and whenUnsatisfiable of DoNotSchedule or "
     "ScheduleAnyway; minDomains goes with DoNotSchedule only, and two constraints can't share key and "
     "mode. The API server refuses the pod otherwise.\n\n"
     "    topologySpreadConstraints:\n      - maxSkew: 1\n"
     "        topologyKey: topology.kubernetes.io/zone\n        whenUnsatisfiable: DoNotSchedule"},
    {"job/volume", Stage::Job, Error, "A volume of the pod is invalid",
     "A volume has a name of its own and exactly one source, and each source has required fields and "
     "bounds, such as a claimName or a mode from 0 to 0777. A volume without a source is an emptyDir, and "
     "a patch that changes the source of a volume leaves the old one beside the new: delete it in the "
     "patch. The API server refuses the pod otherwise. Claim templates, of an ephemeral volume or of "
     "volumeClaimPolicies, need access modes and a request for storage; where JobSet can't make a claim it "
     "makes "
     "no Job."},
});

}  // namespace

std::span<const Rule> job() {
  return kRules;
}

}  // namespace trainjobc::compile::rules
