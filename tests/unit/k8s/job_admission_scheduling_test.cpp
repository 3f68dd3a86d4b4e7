// SPDX-License-Identifier: Apache-2.0

// Where pods may run.
#include <string>

#include "support/job_admission.h"

namespace trainjobc::test::jobs::job_admission_scheduling_test {
namespace {

TEST_CASE("node affinity") {
  CHECK(
      pod_findings(R"(
affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
      - matchExpressions:
        - {key: gpu, operator: In, values: [NVIDIA H100]}
        - {key: gpu, operator: In}
        - {key: gpu, operator: Exists, values: [x]}
        - {key: gpu, operator: Gt, values: ["1", "2"]}
        - {key: a b, operator: Is}
      - matchFields:
        - {key: metadata.name, operator: In, values: [A_b]}
        - {key: metadata.uid, operator: Exists, values: [x]}
        - {key: metadata.name, operator: In, values: []}
)") ==
      R"(affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values[0]: node label value "NVIDIA H100" may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit | write NVIDIA-H100
affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[1].values: operator In needs values | list at least one value, or use Exists
affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[2].values: operator Exists allows no values | leave values out, or use In or NotIn
affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[3].values: operator Gt needs exactly one value
affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[4].operator: operator can't be "Is" | one of "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"
affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[4].key: node label key "a b" may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit | write a-b
affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[1].matchFields[0].values[0]: node name "A_b" may contain only lower-case letters, digits, '-' and '.', and each part between dots must begin and end with a letter or digit | write a-b
affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[1].matchFields[1].operator: operator can't be "Exists" | one of "In", "NotIn"
affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[1].matchFields[1].key: key can't be "metadata.uid" | only "metadata.name"
affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[1].matchFields[2].values: a node field selector needs exactly one value
)");
  CHECK(
      pod_findings(R"(
affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: []}}}
)") ==
      R"(affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: a required node affinity needs at least one node selector term
)");
}

TEST_CASE("preferred nodes") {
  CHECK(
      pod_findings(R"(
affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 0, preference: {}}, {weight: 101, preference: {matchExpressions: [{key: a, operator: In, values: [b c]}]}}]}}
)") ==
      R"(affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: weight must be from 1 to 100, not 0
affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[1].weight: weight must be from 1 to 100, not 101
)");
}

TEST_CASE("pod affinity") {
  CHECK(
      pod_findings(R"(
affinity:
  podAffinity:
    preferredDuringSchedulingIgnoredDuringExecution: [{weight: 101, podAffinityTerm: {}}]
  podAntiAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
    - {topologyKey: a b, namespaces: [A_b], labelSelector: {matchExpressions: [{key: a, operator: In}]}}
    - {topologyKey: zone, matchLabelKeys: [a], mismatchLabelKeys: [b]}
    - {topologyKey: zone, labelSelector: {}, matchLabelKeys: [a b, c], mismatchLabelKeys: [d e, f]}
    - {topologyKey: zone, labelSelector: {matchLabels: {a: x}, matchExpressions: [{key: a, operator: Exists}]}, matchLabelKeys: [a, c], mismatchLabelKeys: [c]}
)") ==
      R"(affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: weight must be from 1 to 100, not 101
affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.topologyKey: podAffinityTerm has no topologyKey | add topologyKey
affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchExpressions[0].values: operator In needs values | list at least one value, or use Exists
affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].namespace: namespace "A_b" may contain only lower-case letters, digits and '-', and must begin and end with a letter or digit
affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: topologyKey "a b" may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit | write a-b
affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[1].matchLabelKeys: matchLabelKeys needs a labelSelector | add a labelSelector
affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[1].mismatchLabelKeys: mismatchLabelKeys needs a labelSelector | add a labelSelector
affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[2].matchLabelKeys[0]: label key "a b" may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit | write a-b
affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[2].mismatchLabelKeys[0]: label key "d e" may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit | write d-e
affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[3][0]: label a is both in matchLabelKeys and in the labelSelector | remove it from one of them
affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[3].matchLabelKeys[1]: label c is both in matchLabelKeys and in mismatchLabelKeys | remove it from one of them
)");
}

TEST_CASE("topology spread") {
  CHECK(pod_findings(R"(
topologySpreadConstraints:
- {maxSkew: 0, topologyKey: zone, whenUnsatisfiable: Never}
- {maxSkew: 1, whenUnsatisfiable: ScheduleAnyway, minDomains: 2, nodeTaintsPolicy: Some}
- {maxSkew: 1, topologyKey: host, whenUnsatisfiable: DoNotSchedule, minDomains: 0, labelSelector: {matchLabels: {a: b c}}}
- {maxSkew: 1, topologyKey: host, whenUnsatisfiable: DoNotSchedule, matchLabelKeys: [x]}
)") ==
        R"(topologySpreadConstraints[0].maxSkew: maxSkew must be at least 1, not 0
topologySpreadConstraints[0].whenUnsatisfiable: whenUnsatisfiable can't be "Never" | one of "DoNotSchedule", "ScheduleAnyway"
topologySpreadConstraints[1].topologyKey: topologySpreadConstraints[1] has no topologyKey | add topologyKey
topologySpreadConstraints[1].minDomains: minDomains needs whenUnsatisfiable: DoNotSchedule
topologySpreadConstraints[1].nodeTaintsPolicy: nodeTaintsPolicy can't be "Some" | one of "Honor", "Ignore"
topologySpreadConstraints[2].minDomains: minDomains must be at least 1, not 0
topologySpreadConstraints[2].labelSelector.matchLabels: the value "b c" of label a may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit | write b-c
topologySpreadConstraints[2].{topologyKey, whenUnsatisfiable}: two constraints spread over host with the same whenUnsatisfiable | remove one of the two
topologySpreadConstraints[3].matchLabelKeys: matchLabelKeys needs a labelSelector | add a labelSelector
)");
}

TEST_CASE("tolerations") {
  CHECK(
      pod_findings(R"(
tolerations:
- {operator: Exists}
- {value: x}
- {key: a, operator: Exists, value: x}
- {key: a, operator: Maybe, effect: NoIdea}
- {key: a/b/c, value: b c}
- {key: a, tolerationSeconds: 5}
- {key: a, operator: Lt, value: "5"}
)") ==
      R"(tolerations[1].operator: a toleration without a key needs operator Exists | add a key, or operator: Exists to tolerate every taint
tolerations[2].operator: operator Exists allows no value, but value is "x" | leave value out, or use operator: Equal
tolerations[3].operator: operator can't be "Maybe" | one of "Equal", "Exists"
tolerations[3].effect: effect can't be "NoIdea" | one of "NoSchedule", "PreferNoSchedule", "NoExecute"
tolerations[4].key: toleration key "a/b/c" has more than one '/'; only a DNS prefix may come before the name | write a/b-c
tolerations[4].operator: toleration value "b c" may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit
tolerations[5].effect: tolerationSeconds needs effect NoExecute | write effect: NoExecute, or leave tolerationSeconds out
tolerations[6].operator: operator can't be "Lt" | one of "Equal", "Exists"
)");
}

TEST_CASE("gates") {
  CHECK(
      pod_findings(R"(
readinessGates: [{conditionType: data ready}]
schedulingGates: [{name: a.io/b/c}, {name: a.io/b}, {name: a.io/b}]
)") ==
      R"(readinessGates[0].conditionType: conditionType "data ready" may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit | write data-ready
schedulingGates[0]: scheduling gate "a.io/b/c" has more than one '/'; only a DNS prefix may come before the name | write a.io/b-c
schedulingGates[2]: scheduling gate "a.io/b" is listed twice | remove one of the two
)");
}

TEST_CASE("node selectors") {
  CHECK(
      pod_findings(R"(
nodeSelector: {pool: a b, x/y/z: c}
)") ==
      R"(nodeSelector: the value "a b" of node label pool may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit | write a-b
nodeSelector: node label key "x/y/z" has more than one '/'; only a DNS prefix may come before the name | write x/y-z
)");
}

TEST_CASE("names of objects that a pod refers to") {
  CHECK(
      pod_findings(R"(
serviceAccountName: trainer_sa
nodeName: GPU-7
priorityClassName: High_Priority
runtimeClassName: ""
preemptionPolicy: Always
)") ==
      R"(nodeName: nodeName "GPU-7" may contain only lower-case letters, digits, '-' and '.', and each part between dots must begin and end with a letter or digit | write gpu-7
priorityClassName: priorityClassName "High_Priority" may contain only lower-case letters, digits, '-' and '.', and each part between dots must begin and end with a letter or digit | write high-priority
serviceAccountName: serviceAccountName "trainer_sa" may contain only lower-case letters, digits, '-' and '.', and each part between dots must begin and end with a letter or digit | write trainer-sa
runtimeClassName: runtimeClassName is empty
preemptionPolicy: preemptionPolicy can't be "Always" | one of "PreemptLowerPriority", "Never"
)");
  CHECK(
      pod_findings(R"(
serviceAccount: Trainer
)") ==
      R"(serviceAccountName: serviceAccountName "Trainer" may contain only lower-case letters, digits, '-' and '.', and each part between dots must begin and end with a letter or digit | write trainer
)");
  CHECK(pod_findings(R"(
imagePullSecrets: [{name: A_b}]
)") == "");
}

TEST_CASE("time limits of pods") {
  CHECK(pod_findings(R"(
activeDeadlineSeconds: 0
)") ==
        R"(activeDeadlineSeconds: activeDeadlineSeconds must be from 1 to 2147483647, not 0
)");
  CHECK(pod_findings(R"(
activeDeadlineSeconds: 1
)") == "");
}

}  // namespace
}  // namespace trainjobc::test::jobs::job_admission_scheduling_test
