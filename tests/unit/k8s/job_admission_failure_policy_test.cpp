// SPDX-License-Identifier: Apache-2.0

// podFailurePolicy.
#include <string>

#include "support/job_admission.h"

namespace trainjobc::test::jobs::job_admission_failure_policy_test {
namespace {

TEST_CASE("a rule needs a condition and an action") {
  CHECK(
      spec_findings(R"(
podFailurePolicy:
  rules:
  - {action: Retry, onExitCodes: {operator: In, values: [1]}}
  - {onExitCodes: {operator: In, values: [1]}}
  - {action: Count}
  - {action: Count, onExitCodes: {operator: In, values: [1]}, onPodConditions: [{type: A}]}
)") ==
      R"(podFailurePolicy.rules[0].action: action can't be "Retry" | one of "Count", "FailIndex", "FailJob", "Ignore"
podFailurePolicy.rules[1].action: rules[1] has no action | one of "Count", "FailIndex", "FailJob", "Ignore"
podFailurePolicy.rules[2]: a rule needs onExitCodes or onPodConditions
podFailurePolicy.rules[3]: a rule can't have both onExitCodes and onPodConditions | split it into two rules
)");
}

TEST_CASE("FailIndex needs a limit per index") {
  CHECK(
      spec_findings(R"(
podFailurePolicy: {rules: [{action: FailIndex, onExitCodes: {operator: In, values: [1]}}]}
)") ==
      R"(podFailurePolicy.rules[0].action: action FailIndex needs spec.backoffLimitPerIndex | add backoffLimitPerIndex, or use FailJob
)");
  CHECK(spec_findings(R"(
backoffLimitPerIndex: 1
podFailurePolicy: {rules: [{action: FailIndex, onExitCodes: {operator: In, values: [1]}}]}
)") == "");
}

TEST_CASE("exit codes") {
  CHECK(
      spec_findings(R"(
podFailurePolicy:
  rules:
  - {action: Count, onExitCodes: {operator: In, values: [0]}}
  - {action: Count, onExitCodes: {operator: NotIn, values: [0]}}
  - {action: Count, onExitCodes: {operator: In, values: [143, 137]}}
  - {action: Count, onExitCodes: {operator: In, values: [1, 1]}}
  - {action: Count, onExitCodes: {operator: Is, values: []}}
)") ==
      R"(podFailurePolicy.rules[0].onExitCodes.values[0]: exit code 0 is not a failure, operator In can't list it
podFailurePolicy.rules[2].onExitCodes.values: exit codes must be in ascending order | write [137, 143]
podFailurePolicy.rules[3].onExitCodes.values[1]: exit code 1 is listed twice | remove one of the two
podFailurePolicy.rules[4].onExitCodes.operator: operator can't be "Is" | one of "In", "NotIn"
podFailurePolicy.rules[4].onExitCodes.values: onExitCodes needs at least one exit code | add values
)");
}

TEST_CASE("containers of exit codes") {
  CHECK(
      spec_findings(R"(
podFailurePolicy:
  rules:
  - {action: Count, onExitCodes: {containerName: trainer, operator: In, values: [1]}}
  - {action: Count, onExitCodes: {containerName: node, operator: In, values: [1]}}
  - {action: Count, onExitCodes: {containerName: warm, operator: In, values: [1]}}
)",
                    R"(
initContainers: [{name: warm, image: i}]
)") ==
      R"(podFailurePolicy.rules[0].onExitCodes.containerName: the pod has no container "trainer" | name one of the pod's containers, or leave containerName out
)");
}

TEST_CASE("conditions of pods") {
  CHECK(
      spec_findings(R"(
podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: Disruption Target}, {type: DisruptionTarget, status: yes-please}, {type: DisruptionTarget}]}]}
)") ==
      R"(podFailurePolicy.rules[0].onPodConditions[0].type: condition type "Disruption Target" may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit | write Disruption-Target
podFailurePolicy.rules[0].onPodConditions[1].status: status can't be "yes-please" | one of "False", "True", "Unknown"
)");
}

TEST_CASE("at most 20 rules") {
  CHECK(spec_findings(R"(
podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: A}]}, {action: Ignore, onPodConditions: [{type: A}]}, {action: Ignore, onPodConditions: [{type: A}]}, {action: Ignore, onPodConditions: [{type: A}]}, {action: Ignore, onPodConditions: [{type: A}]}, {action: Ignore, onPodConditions: [{type: A}]}, {action: Ignore, onPodConditions: [{type: A}]}, {action: Ignore, onPodConditions: [{type: A}]}, {action: Ignore, onPodConditions: [{type: A}]}, {action: Ignore, onPodConditions: [{type: A}]}, {action: Ignore, onPodConditions: [{type: A}]}, {action: Ignore, onPodConditions: [{type: A}]}, {action: Ignore, onPodConditions: [{type: A}]}, {action: Ignore, onPodConditions: [{type: A}]}, {action: Ignore, onPodConditions: [{type: A}]}, {action: Ignore, onPodConditions: [{type: A}]}, {action: Ignore, onPodConditions: [{type: A}]}, {action: Ignore, onPodConditions: [{type: A}]}, {action: Ignore, onPodConditions: [{type: A}]}, {action: Ignore, onPodConditions: [{type: A}]}, {action: Ignore, onPodConditions: [{type: A}]}]}
)") ==
        R"(podFailurePolicy.rules: 21 rules are too many, at most 20 are allowed
)");
}

}  // namespace
}  // namespace trainjobc::test::jobs::job_admission_failure_policy_test
