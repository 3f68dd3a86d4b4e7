// SPDX-License-Identifier: Apache-2.0

// What JobSet admission says of the policies in a JobSet, and of what they refer to. The rules are those of
// sigs.k8s.io/jobset v0.12; the verdicts were compared with the webhook's own on random JobSets.
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "compile/admission.h"
#include "support/jobset.h"

namespace trainjobc::test::jobset_policies_test {
namespace {

TEST_CASE("dependsOn names earlier replicatedJobs") {
  JobSetBench bench;
  CHECK(
      bench.violations(R"(kind: JobSet
metadata: {name: bert}
spec:
  replicatedJobs:
  - &job
    name: crawl
    dependsOn: [{name: index, status: Ready}]
    template: {spec: {template: {spec: {containers: [{name: c, image: i}]}}}}
  - <<: *job
    name: train
    dependsOn:
    - {name: craw1, status: Complete}
    - {name: train, status: Ready}
    - {name: index, status: Ready}
  - {<<: *job, name: index, dependsOn: [{name: crawl, status: Complete}]}
)") ==
      R"(jobset.yaml:7:16: error: "crawl" is the first replicatedJob and can't depend on another [jobset/depends-on]
    7 |     dependsOn: [{name: index, status: Ready}]
      |                ^ remove it, or move the replicatedJob down
jobset.yaml:12:14: error: replicatedJob "train" depends on "craw1", which the JobSet does not have [jobset/depends-on]
   12 |     - {name: craw1, status: Complete}
      |              ^~~~~ did you mean "crawl"?
jobset.yaml:14:14: error: replicatedJob "train" depends on "index", which comes after it [jobset/depends-on]
   14 |     - {name: index, status: Ready}
      |              ^~~~~ move "index" up, before "train"
  note: replicatedJob "index" at jobset.yaml:15:22
)");
}

TEST_CASE("the success policy waits for existing replicatedJobs") {
  JobSetBench bench;
  CHECK(
      bench.violations(job_set(
          {.spec = "  successPolicy: {operator: All, targetReplicatedJobs: [nodes, evaluator, node]}\n"})) ==
      R"(jobset.yaml:6:57: error: the success policy waits for replicatedJob "nodes", which the JobSet does not have [jobset/success-policy]
    6 |   successPolicy: {operator: All, targetReplicatedJobs: [nodes, evaluator, node]}
      |                                                         ^~~~~ did you mean "node"?
jobset.yaml:6:64: error: the success policy waits for replicatedJob "evaluator", which the JobSet does not have [jobset/success-policy]
    6 |   successPolicy: {operator: All, targetReplicatedJobs: [nodes, evaluator, node]}
      |                                                                ^~~~~~~~~ it has only "node"
)");
}

TEST_CASE("failure policy rules have good names, reasons and targets") {
  JobSetBench bench;
  CHECK(
      bench.violations(job_set({.spec = R"(  failurePolicy:
    rules:
    - name: hostMaintenance
      action: RestartJobSet
      targetReplicatedJobs: [Nodes]
      onJobFailureReasons: [PodFailurePolicy, BackOffLimitExceeded, OutOfMemory]
    - name: 1st:rule
      action: FailJobSet
    - name: hostMaintenance
      action: FailJobSet
)"})) ==
      R"(jobset.yaml:10:30: error: the failure policy rule "hostMaintenance" names replicatedJob "Nodes", which the JobSet does not have [jobset/failure-policy]
   10 |       targetReplicatedJobs: [Nodes]
      |                              ^~~~~ did you mean "node"?
jobset.yaml:11:47: error: no Job fails with the reason "BackOffLimitExceeded" [jobset/failure-reason]
   11 |       onJobFailureReasons: [PodFailurePolicy, BackOffLimitExceeded, OutOfMemory]
      |                                               ^~~~~~~~~~~~~~~~~~~~ did you mean "BackoffLimitExceeded"?
jobset.yaml:11:69: error: no Job fails with the reason "OutOfMemory" [jobset/failure-reason]
   11 |       onJobFailureReasons: [PodFailurePolicy, BackOffLimitExceeded, OutOfMemory]
      |                                                                     ^~~~~~~~~~~ one of BackoffLimitExceeded, DeadlineExceeded, FailedIndexes, MaxFailedIndexesExceeded, PodFailurePolicy
jobset.yaml:12:13: error: "1st:rule" is not a valid name for a failure policy rule [jobset/failure-rule-name]
   12 |     - name: 1st:rule
      |             ^~~~~~~~ use letters, digits and underscores, with commas and colons only inside; begin with a letter
jobset.yaml:14:13: error: two failure policy rules are named "hostMaintenance" [jobset/failure-rule-name]
   14 |     - name: hostMaintenance
      |             ^~~~~~~~~~~~~~~ rename one of the two
  note: the first one at jobset.yaml:8:13
)");
  const std::string spec =
      "  failurePolicy: {rules: [{action: FailJobSet, name: " + std::string(130, 'r') + "}]}\n";
  CHECK(
      bench.violations(job_set({.spec = spec})) ==
      R"(jobset.yaml:6:54: error: the failure policy rule's name has 130 characters, at most 128 are allowed [jobset/failure-rule-name]
    6 |   failurePolicy: {rules: [{action: FailJobSet, name: rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr}]}
      |                                                      ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ shorten it by 2 characters
)");
}

TEST_CASE("feature gates are off") {
  JobSetBench bench;
  CHECK(
      bench.violations(job_set({.spec = R"(  failurePolicy:
    restartStrategy: InPlaceRestart
    rules:
    - {name: one, action: RestartJob}
    - {name: two, action: RestartJobAndIgnoreMaxRestarts}
)"})) ==
      R"(jobset.yaml:7:22: error: the restartStrategy InPlaceRestart needs JobSet's feature gate InPlaceRestart, which is off by default [jobset/feature-gate]
    7 |     restartStrategy: InPlaceRestart
      |                      ^~~~~~~~~~~~~~ use Recreate or BlockingRecreate
jobset.yaml:9:27: error: the action RestartJob needs JobSet's feature gate RestartJob, which is off by default [jobset/feature-gate]
    9 |     - {name: one, action: RestartJob}
      |                           ^~~~~~~~~~ use RestartJobSet
jobset.yaml:10:27: error: the action RestartJobAndIgnoreMaxRestarts needs JobSet's feature gate RestartJob, which is off by default [jobset/feature-gate]
   10 |     - {name: two, action: RestartJobAndIgnoreMaxRestarts}
      |                           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ use RestartJobSetAndIgnoreMaxRestarts
)");
}

TEST_CASE("the rules of feature gates that are on") {
  JobSetBench bench;
  const k8s::jobset::Behaviour all{.in_place_restart = true, .restart_job = true};
  CHECK(
      bench.violations(R"(kind: JobSet
metadata: {name: bert}
spec:
  failurePolicy:
    restartStrategy: InPlaceRestart
    rules:
    - {name: one, action: RestartJob}
  replicatedJobs:
  - name: good
    template:
      spec:
        backoffLimit: 2147483647
        podReplacementPolicy: Failed
        completions: 2
        parallelism: 2
        template: {spec: {containers: [{name: c, image: i}]}}
  - name: bad
    replicas: 1025
    template:
      spec:
        backoffLimit: 3
        parallelism: 2
        template: {spec: {containers: [{name: c, image: i}]}}
)",
                       all) ==
      R"(jobset.yaml:21:23: error: replicatedJob "bad" must have backoffLimit 2147483647 to restart in place [jobset/in-place-restart]
   21 |         backoffLimit: 3
      |                       ^ backoffLimit: 2147483647
(spec.replicatedJobs[1].template.spec.backoffLimit)
jobset.yaml:17:5: error: replicatedJob "bad" must have podReplacementPolicy "Failed" to restart in place [jobset/in-place-restart]
   17 |   - name: bad
      |     ^~~~ podReplacementPolicy: Failed
(spec.replicatedJobs[1].template.spec.podReplacementPolicy)
jobset.yaml:17:5: error: replicatedJob "bad" must have equal completions and parallelism to restart in place [jobset/in-place-restart]
   17 |   - name: bad
      |     ^~~~ set both to the same number
(spec.replicatedJobs[1].template.spec.completions)
jobset.yaml:18:15: error: replicatedJob "bad" has 1025 replicas; with the action RestartJob, at most 1024 are allowed [jobset/restart-limit]
   18 |     replicas: 1025
      |               ^~~~
  note: the action at jobset.yaml:7:27
)");
}

TEST_CASE("the coordinator is an existing pod") {
  JobSetBench bench;
  const auto violations = [&](std::string_view coordinator,
                              std::string_view job = "        completions: 2\n") {
    return bench.violations(
        job_set({.spec = "  coordinator: " + std::string(coordinator) + "\n", .job = job}));
  };
  CHECK(violations("{replicatedJob: node, podIndex: 1}") == "");
  CHECK(
      violations("{replicatedJob: nodes}") ==
      R"(jobset.yaml:6:32: error: the coordinator is in replicatedJob "nodes", which the JobSet does not have [jobset/coordinator]
    6 |   coordinator: {replicatedJob: nodes}
      |                                ^~~~~ did you mean "node"?
)");
  CHECK(
      violations("{replicatedJob: node, jobIndex: 1}") ==
      R"(jobset.yaml:6:48: error: the coordinator's jobIndex is 1, replicatedJob "node" has 1 replica [jobset/coordinator]
    6 |   coordinator: {replicatedJob: node, jobIndex: 1}
      |                                                ^ 0 is the only one
  note: the replicas at jobset.yaml:8:5
)");
  CHECK(
      violations("{replicatedJob: node, podIndex: 2}") ==
      R"(jobset.yaml:6:48: error: the coordinator's podIndex is 2, a Job of replicatedJob "node" has 2 pods [jobset/coordinator]
    6 |   coordinator: {replicatedJob: node, podIndex: 2}
      |                                                ^ 0 to 1
  note: the number of pods at jobset.yaml:11:22
)");
  CHECK(
      violations("{replicatedJob: node}", "        completionMode: NonIndexed\n        completions: 2\n") ==
      R"(jobset.yaml:11:25: error: the coordinator's replicatedJob "node" must be Indexed and set completions [jobset/coordinator]
   11 |         completionMode: NonIndexed
      |                         ^~~~~~~~~~ completionMode: Indexed
  note: the coordinator at jobset.yaml:6:16
)");
  CHECK(
      violations("{replicatedJob: node}", "") ==
      R"(jobset.yaml:8:5: error: the coordinator's replicatedJob "node" must be Indexed and set completions [jobset/coordinator]
    8 |   - name: node
      |     ^~~~ add completions:
  note: the coordinator at jobset.yaml:6:16
)");
}

TEST_CASE("the coordinator's address must fit into a label from Trainer 2.2 on") {
  JobSetBench bench;
  const std::string name = "support-intent-classifier-26";
  const std::string_view job = "        completions: 1\n";
  CHECK(
      bench.violations(
          job_set({.spec = "  coordinator: {replicatedJob: node}\n", .job = job, .name = name})) ==
      R"(jobset.yaml:4:9: error: the coordinator's address "support-intent-classifier-26-node-0-0.support-intent-classifier-26" would have 66 characters, at most 63 fit in its label [jobset/coordinator-label]
    4 |   name: support-intent-classifier-26
      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~ shorten the TrainJob's name by 2 characters
  note: the coordinator's replicatedJob "node" at jobset.yaml:6:16
)");
  const std::string_view other =
      "  coordinator: {replicatedJob: node}\n  network: {subdomain: the-pods-of-our-intent-classifier}\n";
  CHECK(
      bench.violations(job_set({.spec = other, .job = job, .name = name})) ==
      R"(jobset.yaml:4:9: error: the coordinator's address "support-intent-classifier-26-node-0-0.the-pods-of-our-intent-classifier" would have 71 characters, at most 63 fit in its label [jobset/coordinator-label]
    4 |   name: support-intent-classifier-26
      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~ shorten the TrainJob's name by 8 characters
  note: the coordinator's replicatedJob "node" at jobset.yaml:6:16
)");
  CHECK(bench.violations(job_set({.spec = other, .job = job, .name = name}), {.coordinator_label = false}) ==
        "");
}

TEST_CASE("volume claims have unique names, and are mounted") {
  JobSetBench bench;
  CHECK(
      bench.violations(job_set({.spec = R"(  volumeClaimPolicies:
  - templates:
    - metadata: {name: cache}
    - metadata: {name: init}
    - metadata: {name: unmounted}
  - templates:
    - metadata: {name: cache}
    - metadata: {name: Shared_Data}
    - metadata: {name: ""}
)",
                                .pod = R"(            volumes:
            - name: scratch
              emptyDir: {}
            - name: cache
              emptyDir: {}
            initContainers:
            - name: warm-up
              image: busybox
              volumeMounts: [{name: init, mountPath: /init}, {name: cache, mountPath: /cache}]
)"})) ==
      R"(jobset.yaml:24:21: error: the volume "cache" of replicatedJob "node" has the same name as a claim template, which adds a volume of that name [jobset/claim-volume]
   24 |             - name: cache
      |                     ^~~~~ rename it, or remove it to use the claim
  note: the claim template at jobset.yaml:8:24
(spec.replicatedJobs[0].template.spec.template.spec.volumes[1].name)
jobset.yaml:10:24: error: no container mounts the claim "unmounted" [jobset/claim-mount]
   10 |     - metadata: {name: unmounted}
      |                        ^~~~~~~~~ add a volumeMount with name: unmounted
(spec.replicatedJobs)
jobset.yaml:12:24: error: two claim templates are named "cache" [jobset/claim-name]
   12 |     - metadata: {name: cache}
      |                        ^~~~~ rename one of the two
  note: the first one at jobset.yaml:8:24
(spec.volumeClaimPolicies[1].template[0].name)
jobset.yaml:13:24: error: "Shared_Data" is not a valid claim name [jobset/claim-name]
   13 |     - metadata: {name: Shared_Data}
      |                        ^~~~~~~~~~~ use lower-case letters, digits, dashes and dots, with no dash or dot at the beginning or end
(spec.volumeClaimPolicies[1].template[1].name)
jobset.yaml:13:24: error: no container mounts the claim "Shared_Data" [jobset/claim-mount]
   13 |     - metadata: {name: Shared_Data}
      |                        ^~~~~~~~~~~ add a volumeMount with name: Shared_Data
(spec.replicatedJobs)
jobset.yaml:14:24: error: a claim template needs a name [jobset/claim-name]
   14 |     - metadata: {name: ""}
      |                        ^~ use lower-case letters, digits, dashes and dots, with no dash or dot at the beginning or end
(spec.volumeClaimPolicies[1].template[2].name)
jobset.yaml:14:24: error: no container mounts the claim "" [jobset/claim-mount]
   14 |     - metadata: {name: ""}
      |                        ^~
(spec.replicatedJobs)
)");
}

TEST_CASE("a claim's full name has 63 characters") {
  JobSetBench bench;
  const std::string_view spec =
      "  volumeClaimPolicies: [templates: [metadata: {name: tokenised-pretraining-corpus-cache}]]\n";
  const std::string_view pod = R"(            initContainers:
            - name: warm-up
              image: busybox
              volumeMounts: [{name: tokenised-pretraining-corpus-cache, mountPath: /cache}]
)";
  CHECK(
      bench.violations(job_set({.spec = spec, .pod = pod, .name = "intent-classifier-2026-summer"})) ==
      R"(jobset.yaml:4:9: error: the claim's name "tokenised-pretraining-corpus-cache-intent-classifier-2026-summer" would have 64 characters, at most 63 are allowed [jobset/claim-name]
    4 |   name: intent-classifier-2026-summer
      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~ shorten the TrainJob's name by 1 character
  note: the claim template "tokenised-pretraining-corpus-cache" at jobset.yaml:6:54
(spec.volumeClaimPolicies[0].template[0].name)
)");
}

}  // namespace
}  // namespace trainjobc::test::jobset_policies_test
