// SPDX-License-Identifier: Apache-2.0

// What JobSet admission makes of a JobSet, and says of its structure and names. The rules are those of
// sigs.k8s.io/jobset v0.12; the verdicts were compared with the webhook's own on random JobSets.
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "compile/admission.h"
#include "support/jobset.h"

namespace trainjobc::test::jobset_admission_test {
namespace {

TEST_CASE("a bare JobSet is stored with the defaults of its schema and of the webhook") {
  JobSetBench bench;
  CHECK(bench.admitted(job_set({.pod = R"(            initContainers:
            - name: warm-up
              image: busybox
              ports:
              - containerPort: 29500
)"})) == R"(apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: bert
spec:
  network:
    enableDNSHostnames: true
    publishNotReadyAddresses: true
  startupPolicy:
    startupPolicyOrder: AnyOrder
  successPolicy:
    operator: All
  replicatedJobs:
  - name: node
    groupName: default
    replicas: 1
    template:
      spec:
        completionMode: Indexed
        template:
          spec:
            restartPolicy: OnFailure
            initContainers:
            - name: warm-up
              image: busybox
              ports:
              - containerPort: 29500
                protocol: TCP
            containers:
            - name: main
              image: busybox
)");
}

TEST_CASE("single values that JobSet's schema refuses") {
  JobSetBench bench;
  CHECK(bench.violations(job_set({.spec = "  failurePolicy:\n    restartStrategy: Sometimes\n"})) ==
        R"(jobset.yaml:7:22: error: spec.failurePolicy.restartStrategy can't be "Sometimes" [jobset/enum]
    7 |     restartStrategy: Sometimes
      |                      ^~~~~~~~~ one of "Recreate", "BlockingRecreate", "InPlaceRestart"
(spec.failurePolicy.restartStrategy)
)");
  CHECK(
      bench.violations(job_set({.pod = "            overhead:\n              memory: 16 GB\n"})) ==
      R"(jobset.yaml:13:23: error: spec.replicatedJobs[0].template.spec.template.spec.overhead.memory must be a quantity, not "16 GB" [jobset/quantity]
   13 |               memory: 16 GB
      |                       ^~~~~ did you mean "16G"?
(spec.replicatedJobs[0].template.spec.template.spec.overhead.memory)
)");
}

TEST_CASE("Trainer 2.0 has no groups of replicatedJobs") {
  JobSetBench bench("2.0");
  CHECK(bench.admitted(job_set({})) == R"(apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: bert
spec:
  network:
    enableDNSHostnames: true
    publishNotReadyAddresses: true
  startupPolicy:
    startupPolicyOrder: AnyOrder
  successPolicy:
    operator: All
  replicatedJobs:
  - name: node
    replicas: 1
    template:
      spec:
        completionMode: Indexed
        template:
          spec:
            restartPolicy: OnFailure
            containers:
            - name: main
              image: busybox
)");
}

TEST_CASE("values that a JobSet sets itself are kept") {
  JobSetBench bench;
  CHECK(bench.admitted(job_set({.spec = R"(  network: {enableDNSHostnames: false}
  startupPolicy: {startupPolicyOrder: InOrder}
  successPolicy: {operator: Any, targetReplicatedJobs: [node]}
  failurePolicy:
    rules:
    - {name: hostMaintenance, action: FailJobSet}
    - {name: "", action: RestartJobSet}
    - {action: FailJobSet}
  volumeClaimPolicies:
  - templates: [{metadata: {name: cache}}]
  - templates: [{metadata: {name: data}}]
    retentionPolicy: {whenDeleted: Retain}
)",
                                .job = "        completionMode: NonIndexed\n",
                                .pod = "            restartPolicy: Never\n"})) ==
        R"(apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: bert
spec:
  failurePolicy:
    restartStrategy: Recreate
    rules:
    - name: hostMaintenance
      action: FailJobSet
    - name: failurePolicyRule1
      action: RestartJobSet
    - name: failurePolicyRule2
      action: FailJobSet
  network:
    enableDNSHostnames: false
    publishNotReadyAddresses: true
  startupPolicy:
    startupPolicyOrder: InOrder
  successPolicy:
    operator: Any
    targetReplicatedJobs:
    - node
  volumeClaimPolicies:
  - retentionPolicy:
      whenDeleted: Delete
    templates:
    - metadata:
        name: cache
  - retentionPolicy:
      whenDeleted: Retain
    templates:
    - metadata:
        name: data
  replicatedJobs:
  - name: node
    groupName: default
    replicas: 1
    template:
      spec:
        completionMode: NonIndexed
        template:
          spec:
            restartPolicy: Never
            containers:
            - name: main
              image: busybox
)");
}

TEST_CASE("a JobSet without a spec gets the webhook's policies") {
  JobSetBench bench;
  CHECK(bench.admitted("kind: JobSet\nmetadata: {name: bert}\n") == R"(kind: JobSet
metadata:
  name: bert
spec:
  network:
    enableDNSHostnames: true
    publishNotReadyAddresses: true
  startupPolicy:
    startupPolicyOrder: AnyOrder
  successPolicy:
    operator: All
)");
}

TEST_CASE("an admitted JobSet is shared when it is admitted again") {
  JobSetBench bench;
  const yaml::Node* admitted = bench.admit(*bench.read(job_set({})));
  CHECK(bench.admit(*admitted) == admitted);
}

TEST_CASE("a default names its rule and its cause") {
  JobSetBench bench;
  const yaml::Node* admitted = bench.admit(*bench.read(job_set({})));
  const yaml::Node* mode =
      admitted->at({"spec", "replicatedJobs"})->items()[0]->at({"template", "spec", "completionMode"});
  REQUIRE(mode->origin().derivation());
  CHECK(mode->origin().derivation()->rule == "jobset/default");
  CHECK(yaml::locate(*mode).line == 7);
}

TEST_CASE("a good JobSet has no violations") {
  JobSetBench bench;
  CHECK(bench.violations(job_set({})) == "");
}

TEST_CASE("structural violations carry JobSet's rules, and a wrong type ends validation") {
  JobSetBench bench;
  CHECK(bench.violations(job_set({.spec = "  ttlSecondsAfterFinished: -1\n  managedBy: me\n"})) ==
        R"(jobset.yaml:6:28: error: spec.ttlSecondsAfterFinished must be at least 0, not -1 [jobset/bounds]
    6 |   ttlSecondsAfterFinished: -1
      |                            ^~
(spec.ttlSecondsAfterFinished)
jobset.yaml:7:14: error: the manager "me" must be a domain-prefixed path [jobset/managed-by]
    7 |   managedBy: me
      |              ^~ such as "kueue.x-k8s.io/multikueue"
(spec.managedBy)
)");
  CHECK(bench.violations(job_set({.spec = "  suspend: 1\n  managedBy: me\n"})) ==
        R"(jobset.yaml:6:12: error: spec.suspend must be true or false, not the integer 1 [jobset/type]
    6 |   suspend: 1
      |            ^
(spec.suspend)
)");
}

TEST_CASE("fields that JobSet's webhook turns into null are refused") {
  JobSetBench bench;
  CHECK(
      bench.violations(job_set({.pod = R"(            volumes:
            - {name: a, projected: {}}
            - {name: b, projected: {defaultMode: 420, sources: null}}
            - {name: c, projected: {sources: []}}
)"})) ==
      R"(jobset.yaml:13:36: error: sources must have items: JobSet's webhook turns a missing value into null, which its schema refuses [jobset/type]
   13 |             - {name: a, projected: {}}
      |                                    ^ add sources: […]
(spec.replicatedJobs[0].template.spec.template.spec.volumes[0].projected.sources)
jobset.yaml:14:36: error: sources must have items: JobSet's webhook turns a missing value into null, which its schema refuses [jobset/type]
   14 |             - {name: b, projected: {defaultMode: 420, sources: null}}
      |                                    ^ add sources: […]
(spec.replicatedJobs[0].template.spec.template.spec.volumes[1].projected.sources)
)");
  const auto claim = [&](const std::string& source) {
    return bench.violations(job_set({.pod = "            volumes:\n"
                                            "            - name: a\n"
                                            "              ephemeral: {volumeClaimTemplate: {spec: {" +
                                            source + "}}}\n"}));
  };
  CHECK(
      claim("dataSourceRef: {kind: A, name: b, namespace: c}") ==
      R"(jobset.yaml:14:71: error: apiGroup must be set, although it may be empty: JobSet's webhook turns a missing value into null, which its schema refuses [jobset/type]
   14 |               ephemeral: {volumeClaimTemplate: {spec: {dataSourceRef: {kind: A, name: b, namespace: c}}}}
      |                                                                       ^ add apiGroup: ""
(spec.replicatedJobs[0].template.spec.template.spec.volumes[0].ephemeral.volumeClaimTemplate.spec.dataSourceRef.apiGroup)
)");
  CHECK(claim("dataSource: {apiGroup: \"\", kind: PersistentVolumeClaim, name: weights}") == "");
  CHECK(
      bench.violations(job_set({.spec = R"(  volumeClaimPolicies:
  - templates:
    - metadata: {name: cache}
      spec: {dataSource: {kind: "", name: ""}}
)"})) ==
      R"(jobset.yaml:9:26: error: apiGroup must be set, although it may be empty: JobSet's webhook turns a missing value into null, which its schema refuses [jobset/type]
    9 |       spec: {dataSource: {kind: "", name: ""}}
      |                          ^ add apiGroup: ""
(spec.volumeClaimPolicies[0].templates[0].spec.dataSource.apiGroup)
jobset.yaml:8:24: error: no container mounts the claim "cache" [jobset/claim-mount]
    8 |     - metadata: {name: cache}
      |                        ^~~~~ add a volumeMount with name: cache
(spec.replicatedJobs)
)");
}

TEST_CASE("CEL rules carry JobSet's rules") {
  JobSetBench bench;
  CHECK(bench.violations(R"(kind: JobSet
metadata: {name: bert}
spec:
  startupPolicy: {startupPolicyOrder: InOrder}
  replicatedJobs:
  - &job {name: a, template: {spec: {template: {spec: {containers: [{name: c, image: i}]}}}}}
  - {<<: *job, name: b, dependsOn: [{name: a, status: Ready}]}
)") == R"(jobset.yaml:7:36: error: spec can't have both startupPolicy InOrder and dependsOn [jobset/cel]
    7 |   - {<<: *job, name: b, dependsOn: [{name: a, status: Ready}]}
      |                                    ^ remove one of the two
(spec)
)");
}

TEST_CASE("a pod name that is too long points at the TrainJob's name") {
  JobSetBench bench;
  const yaml::Node* runtime = bench.read(job_set({.job = "        completions: 1000\n"}), "runtime.yaml");
  const auto violations = [&](const std::string& train_job_name) {
    const yaml::Node* train_job = bench.read("metadata:\n  name: " + train_job_name + "\n", "job.yaml");
    const yaml::Node* name = train_job->at({"metadata", "name"});
    const yaml::Maker& make = bench.make();
    return bench.violations(*make.with_path(runtime, {"metadata", "name"},
                                            make.string(name->text(), make.made("trainjob/name", {name}))));
  };
  CHECK(violations("support-intent-classifier-of-november-2025-usa") == "");
  CHECK(
      violations("support-intent-classifier-of-november-2025-asia") ==
      R"(job.yaml:2:9: error: the pod name "support-intent-classifier-of-november-2025-asia-node-0-999-xxxxx" would have 64 characters, at most 63 are allowed [jobset/name-length]
    2 |   name: support-intent-classifier-of-november-2025-asia
      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ shorten the TrainJob's name by 1 character
  note: the replicatedJob "node" at runtime.yaml:7:11
(spec.replicatedJobs[0].name)
)");
}

TEST_CASE("a Job whose pods have no index only needs room for its own name") {
  JobSetBench bench;
  const std::string name(56, 'x');
  const std::string_view unindexed = "        completionMode: NonIndexed\n        completions: 1\n";
  CHECK(bench.violations(job_set({.job = unindexed, .name = name})) == "");
  CHECK(
      bench.violations(job_set({.job = unindexed, .name = name + "12"})) ==
      R"(jobset.yaml:4:9: error: the Job name "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx12-node-0" would have 65 characters, at most 63 are allowed [jobset/name-length]
    4 |   name: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx12
      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ shorten the TrainJob's name by 2 characters
  note: the replicatedJob "node" at jobset.yaml:7:11
(spec.replicatedJobs[0].name)
)");
}

TEST_CASE("if a replicatedJob's name alone is too long for pod names, it is the one to shorten") {
  JobSetBench bench;
  CHECK(
      bench.violations(R"(kind: JobSet
metadata: {name: llm}
spec:
  replicatedJobs:
  - name: preprocess-and-tokenise-the-pretraining-corpus-in-the-background
    template: {spec: {template: {spec: {containers: [{name: c, image: i}]}}}}
)") ==
      R"(jobset.yaml:5:11: error: the Job name "llm-preprocess-and-tokenise-the-pretraining-corpus-in-the-background-0" would have 70 characters, at most 63 are allowed [jobset/name-length]
    5 |   - name: preprocess-and-tokenise-the-pretraining-corpus-in-the-background
      |           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ shorten the name of the replicatedJob by 7 characters
(spec.replicatedJobs[0].name)
)");
}

TEST_CASE("names of Jobs are DNS labels") {
  JobSetBench bench;
  CHECK(bench.violations(R"(kind: JobSet
metadata: {name: bert}
spec:
  replicatedJobs:
  - &job
    name: Node
    template: {spec: {template: {spec: {containers: [{name: c, image: i}]}}}}
  - {<<: *job, name: eval.step}
  - {<<: *job, name: 2nd-}
)") == R"(jobset.yaml:6:11: error: the Job name "bert-Node-0" must be a DNS label [jobset/name]
    6 |     name: Node
      |           ^~~~ use lower-case letters, digits and dashes: "node"
  note: the TrainJob at jobset.yaml:2:18
(spec.replicatedJobs[0].name)
jobset.yaml:8:22: error: the Job name "bert-eval.step-0" must be a DNS label [jobset/name]
    8 |   - {<<: *job, name: eval.step}
      |                      ^~~~~~~~~ use lower-case letters, digits and dashes: "eval-step"
  note: the TrainJob at jobset.yaml:2:18
(spec.replicatedJobs[1].name)
)");
  CHECK(bench.violations(job_set({.name = "7b"})) ==
        R"(jobset.yaml:4:9: error: the Job name "7b-node-0" must be a DNS label [jobset/name]
    4 |   name: 7b
      |         ^~ use lower-case letters, digits and dashes, beginning with a letter: "b"
(spec.replicatedJobs[0].name)
)");
}

TEST_CASE("the subdomain is a DNS label") {
  JobSetBench bench;
  CHECK(
      bench.violations(job_set({.spec = "  network: {subdomain: train.internal}\n"})) ==
      R"(jobset.yaml:6:24: error: the subdomain "train.internal" must be a DNS label, as it also names the pods' Service [jobset/subdomain]
    6 |   network: {subdomain: train.internal}
      |                        ^~~~~~~~~~~~~~ use lower-case letters, digits and dashes, beginning with a letter: "train-internal"
(spec.network.subdomain)
)");
  const std::string spec = "  network: {subdomain: " + std::string(64, 's') + "}\n";
  CHECK(bench.violations(job_set({.spec = spec})) ==
        R"(jobset.yaml:6:24: error: the subdomain has 64 characters, at most 63 are allowed [jobset/subdomain]
    6 |   network: {subdomain: ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss}
      |                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ shorten it by 1 character
(spec.network.subdomain)
)");
}

TEST_CASE("the group is a DNS label") {
  JobSetBench bench;
  CHECK(bench.violations(R"(kind: JobSet
metadata: {name: bert}
spec:
  replicatedJobs:
  - name: node
    groupName: Workers
    template: {spec: {template: {spec: {containers: [{name: c, image: i}]}}}}
)") == R"(jobset.yaml:6:16: error: the groupName "Workers" must be a DNS label [jobset/group-name]
    6 |     groupName: Workers
      |                ^~~~~~~ use lower-case letters, digits and dashes, beginning with a letter: "workers"
(spec.replicatedJobs[0].groupName)
)");
}

TEST_CASE("the manager is a domain-prefixed path of 63 characters") {
  JobSetBench bench;
  CHECK(bench.violations(job_set({.spec = "  managedBy: acme.io/teams/a%20b\n"})) == "");
  CHECK(
      bench.violations(job_set({.spec = "  managedBy: Acme.io/queue\n"})) ==
      R"(jobset.yaml:6:14: error: the manager "Acme.io/queue" must be a domain-prefixed path [jobset/managed-by]
    6 |   managedBy: Acme.io/queue
      |              ^~~~~~~~~~~~~ such as "kueue.x-k8s.io/multikueue"
(spec.managedBy)
)");
  const std::string spec = "  managedBy: acme.io/" + std::string(57, 'q') + "\n";
  CHECK(bench.violations(job_set({.spec = spec})) ==
        R"(jobset.yaml:6:14: error: the manager has 65 characters, at most 63 are allowed [jobset/managed-by]
    6 |   managedBy: acme.io/qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq
      |              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ shorten it by 2 characters
(spec.managedBy)
)");
}

TEST_CASE("the number of pods of a replicatedJob fits into an int32") {
  JobSetBench bench;
  CHECK(
      bench.violations(R"(kind: JobSet
metadata: {name: bert}
spec:
  replicatedJobs:
  - name: w
    replicas: 100000
    template:
      spec:
        parallelism: 30000
        template: {spec: {containers: [{name: c, image: i}]}}
)") ==
      R"(jobset.yaml:6:15: error: replicatedJob "w" would run 3000000000 pods (100000 replicas of 30000), at most 2147483647 are allowed [jobset/pod-count]
    6 |     replicas: 100000
      |               ^~~~~~ at most 71582
  note: the parallelism at jobset.yaml:9:22
)");
}

}  // namespace
}  // namespace trainjobc::test::jobset_admission_test
