// SPDX-License-Identifier: Apache-2.0

// The Job's own spec: counts, modes, policies, selectors.
#include <string>

#include "support/job_admission.h"

namespace trainjobc::test::jobs::job_admission_spec_test {
namespace {

TEST_CASE("counts are not negative") {
  CHECK(spec_findings(R"(
parallelism: -2
completions: -2
backoffLimit: -1
ttlSecondsAfterFinished: -1
activeDeadlineSeconds: -5
)") ==
        R"(parallelism: parallelism can't be negative, it is -2
completions: completions can't be negative, it is -2
activeDeadlineSeconds: activeDeadlineSeconds can't be negative, it is -5
backoffLimit: backoffLimit can't be negative, it is -1
ttlSecondsAfterFinished: ttlSecondsAfterFinished can't be negative, it is -1
)");
}

TEST_CASE("zero counts are fine") {
  CHECK(spec_findings(R"(
parallelism: 0
completions: 0
backoffLimit: 0
ttlSecondsAfterFinished: 0
)") == "");
}

TEST_CASE("an unknown completion mode") {
  CHECK(spec_findings(R"(
completionMode: Sequential
)") ==
        R"(completionMode: completionMode can't be "Sequential" | one of "NonIndexed", "Indexed"
)");
  CHECK(
      spec_findings(R"(
completionMode: indexed
)") ==
      R"(completionMode: completionMode can't be "indexed" | did you mean "Indexed"? (one of "NonIndexed", "Indexed")
)");
}

TEST_CASE("limits per index need an Indexed Job") {
  CHECK(spec_findings(R"(
completionMode: NonIndexed
backoffLimitPerIndex: 1
maxFailedIndexes: 1
)") ==
        R"(backoffLimitPerIndex: backoffLimitPerIndex needs an Indexed Job | set completionMode: Indexed
maxFailedIndexes: maxFailedIndexes needs an Indexed Job | set completionMode: Indexed
)");
  CHECK(spec_findings(R"(
backoffLimitPerIndex: 1
maxFailedIndexes: 1
)") == "");
  CHECK(spec_findings(R"(
maxFailedIndexes: 1
)") ==
        R"(backoffLimitPerIndex: maxFailedIndexes needs a backoffLimitPerIndex | add backoffLimitPerIndex
)");
}

TEST_CASE("no more failed indexes than indexes") {
  CHECK(spec_findings(R"(
backoffLimitPerIndex: 1
maxFailedIndexes: 5
)") ==
        R"(maxFailedIndexes: maxFailedIndexes 5 is more than the number of indexes (4 completions)
)");
  CHECK(spec_findings(R"(
backoffLimitPerIndex: 1
maxFailedIndexes: 4
)") == "");
}

TEST_CASE("an Indexed Job with very many pods") {
  CHECK(spec_findings(R"(
parallelism: 100001
)") ==
        R"(parallelism: parallelism must be at most 100000 in an Indexed Job, not 100001
)");
  CHECK(spec_findings(R"(
completions: 100001
parallelism: 10001
backoffLimitPerIndex: 1
)") ==
        R"(maxFailedIndexes: maxFailedIndexes is required with more than 100000 completions
parallelism: parallelism must be at most 10000 with more than 100000 completions and a backoffLimitPerIndex, not 10001
)");
  CHECK(
      spec_findings(R"(
completions: 100001
parallelism: 10000
backoffLimitPerIndex: 1
maxFailedIndexes: 10001
)") ==
      R"(maxFailedIndexes: maxFailedIndexes must be at most 10000 with more than 100000 completions and a backoffLimitPerIndex, not 10001
)");
}

TEST_CASE("who manages the Job") {
  CHECK(spec_findings(R"(
managedBy: kueue.x-k8s.io/multikueue
)") == "");
  CHECK(spec_findings(R"(
managedBy: kueue
)") ==
        R"(managedBy: managedBy "kueue" must be a domain, a '/' and a path | write it as example.com/name
)");
  CHECK(
      spec_findings(R"(
managedBy: Kueue.io/x
)") ==
      R"(managedBy: managedBy "Kueue.io/x" has a domain that may contain only lower-case letters, digits, '-' and '.', and each part between dots must begin and end with a letter or digit | write it as example.com/name
)");
  CHECK(
      spec_findings(R"(
managedBy: a.io/b c
)") ==
      R"(managedBy: managedBy "a.io/b c" has a character that is not allowed in a URL path | write it as example.com/name
)");
  CHECK(
      spec_findings(R"(
managedBy: a.io/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
)") ==
      R"(managedBy: managedBy "a.io/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…" is 65 characters long, at most 63 are allowed | write it as example.com/name
)");
}

TEST_CASE("which pods are replaced") {
  CHECK(
      spec_findings(R"(
podReplacementPolicy: Never
)") ==
      R"(podReplacementPolicy: podReplacementPolicy can't be "Never" | one of "Failed", "TerminatingOrFailed"
)");
  CHECK(spec_findings(R"(
podReplacementPolicy: TerminatingOrFailed
podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]}
)") ==
        R"(podReplacementPolicy: a Job with a podFailurePolicy replaces only Failed pods | write Failed
)");
}

TEST_CASE("success policies need an Indexed Job") {
  CHECK(spec_findings(R"(
completionMode: NonIndexed
successPolicy: {rules: [{succeededCount: 1}]}
)") ==
        R"(successPolicy: successPolicy needs an Indexed Job | set completionMode: Indexed
)");
}

TEST_CASE("rules of a success policy") {
  CHECK(spec_findings(R"(
successPolicy: {rules: []}
)") ==
        R"(successPolicy.rules: successPolicy needs at least one rule
)");
  CHECK(spec_findings(R"(
successPolicy: {rules: [{}]}
)") ==
        R"(successPolicy.rules[0]: a rule needs succeededIndexes or succeededCount
)");
  CHECK(spec_findings(R"(
successPolicy: {rules: [{succeededCount: 5}]}
)") ==
        R"(successPolicy.rules[0].succeededCount: succeededCount 5 is more than the 4 completions
)");
  CHECK(
      spec_findings(R"(
successPolicy: {rules: [{succeededIndexes: "0-2", succeededCount: 4}]}
)") ==
      R"(successPolicy.rules[0].succeededCount: succeededCount 4 is more than the 3 indexes of succeededIndexes
)");
  CHECK(spec_findings(R"(
successPolicy: {rules: [{succeededIndexes: "0,2-3", succeededCount: 3}]}
)") == "");
}

TEST_CASE("lists of succeeded indexes") {
  CHECK(
      spec_findings(R"(
successPolicy: {rules: [{succeededIndexes: "0,7"}]}
)") ==
      R"(successPolicy.rules[0].succeededIndexes: succeededIndexes "0,7": index 7 is too large, 4 completions have indexes up to 3 | write it as 0,2-4
)");
  CHECK(
      spec_findings(R"(
successPolicy: {rules: [{succeededIndexes: "2,1"}]}
)") ==
      R"(successPolicy.rules[0].succeededIndexes: succeededIndexes "2,1": index 1 comes after 2, but indexes must be in ascending order | write 1,2
)");
  CHECK(
      spec_findings(R"(
successPolicy: {rules: [{succeededIndexes: "3-1"}]}
)") ==
      R"(successPolicy.rules[0].succeededIndexes: succeededIndexes "3-1": "3-1" is not in ascending order | write 1-3
)");
  CHECK(
      spec_findings(R"(
successPolicy: {rules: [{succeededIndexes: "1-2-3"}]}
)") ==
      R"(successPolicy.rules[0].succeededIndexes: succeededIndexes "1-2-3": "1-2-3" is neither an index nor a range such as 2-4 | write it as 0,2-4
)");
  CHECK(spec_findings(R"(
successPolicy: {rules: [{succeededIndexes: "0,"}]}
)") ==
        R"(successPolicy.rules[0].succeededIndexes: succeededIndexes "0,": it ends with a comma | write 0
)");
  CHECK(
      spec_findings(R"(
successPolicy: {rules: [{succeededIndexes: all}]}
)") ==
      R"(successPolicy.rules[0].succeededIndexes: succeededIndexes "all": "all" is neither an index nor a range such as 2-4 | write it as 0,2-4
)");
}

TEST_CASE("the selector is generated") {
  CHECK(
      spec_findings(R"(
selector: {matchLabels: {app: x}}
)") ==
      R"(selector: the API server generates the selector, and this one would not match it | remove selector, or set manualSelector: true
)");
  CHECK(spec_findings(R"(
selector: {}
)") == "");
}

TEST_CASE("a selector by hand") {
  CHECK(spec_findings(R"(
manualSelector: true
selector: {matchLabels: {app: x}}
)") == "");
  CHECK(
      spec_findings(R"(
manualSelector: true
selector: {matchLabels: {app: y}}
)") ==
      R"(template.metadata.labels: the pod template lacks the labels that the selector requires | add the selector's labels to the pod template
)");
  CHECK(spec_findings(R"(
manualSelector: true
)") ==
        R"(selector: manualSelector needs a selector | remove manualSelector
template.metadata.labels: the pod template lacks the labels that the selector requires | add the selector's labels to the pod template
)");
  CHECK(spec_findings(R"(
manualSelector: true
selector: {matchExpressions: [{key: app, operator: NotIn, values: [y]}, {key: tier, operator: DoesNotExist}]}
)") == "");
  CHECK(spec_findings(R"(
manualSelector: true
selector: {matchLabels: {jobset.sigs.k8s.io/jobset-name: js}}
)") == "");
}

TEST_CASE("a malformed selector") {
  CHECK(
      spec_findings(R"(
selector: {matchLabels: {a b: c}, matchExpressions: [{key: app, operator: Equals}, {key: app, operator: In}, {key: app, operator: Exists, values: [x]}]}
)") ==
      R"(selector.matchLabels: label key "a b" may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit | write a-b
selector.matchExpressions[0].operator: operator can't be "Equals" | one of "In", "NotIn", "Exists", "DoesNotExist"
selector.matchExpressions[1].values: operator In needs values | list at least one value, or use Exists
selector.matchExpressions[2].values: operator Exists allows no values | leave values out, or use In or NotIn
)");
}

TEST_CASE("restart policies of a Job") {
  CHECK(
      spec_findings("", R"(
restartPolicy: Always
)") ==
      R"(template.spec.restartPolicy: a Job's pods can't have restartPolicy Always | write Never or OnFailure
)");
  CHECK(spec_findings("", R"(
restartPolicy: Sometimes
)") ==
        R"(template.spec.restartPolicy: restartPolicy can't be "Sometimes" | one of "Never", "OnFailure"
)");
  CHECK(spec_findings("", R"(
restartPolicy: OnFailure
)") == "");
  CHECK(spec_findings(R"(
podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]}
)",
                      R"(
restartPolicy: OnFailure
)") ==
        R"(template.spec.restartPolicy: a podFailurePolicy needs restartPolicy: Never | write Never
)");
}

}  // namespace
}  // namespace trainjobc::test::jobs::job_admission_spec_test
