// SPDX-License-Identifier: Apache-2.0

// ValidatingAdmissionPolicies of the inputs, as lint and render report them.
#include <doctest/doctest.h>

#include <string>

#include "support/test_console.h"

namespace trainjobc::admission_policy_test {
namespace {

constexpr const char* kJob =
    "apiVersion: trainer.kubeflow.org/v1alpha1\n"
    "kind: TrainJob\n"
    "metadata:\n"
    "  name: llama\n"
    "  namespace: team-a\n"
    "spec:\n"
    "  runtimeRef: {name: torch-distributed}\n"
    "  trainer:\n"
    "    image: ghcr.io/team-a/train:1.4.0\n"
    "    command: [torchrun, train.py]\n"
    "    numNodes: 4\n";

constexpr const char* kTrainJobs =
    "{apiGroups: [trainer.kubeflow.org], apiVersions: [v1alpha1], operations: [CREATE, UPDATE], resources: "
    "[trainjobs]}";
constexpr const char* kPods =
    "{apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: ['*'], scope: Namespaced}";

std::string policy(const std::string& rule, const std::string& rest) {
  return "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: "
         "limits}\n"
         "spec:\n  matchConstraints: {resourceRules: [" +
         rule + "]}\n" + rest;
}

std::string binding(const std::string& rest) {
  return "---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\n"
         "metadata: {name: all}\nspec:\n  policyName: limits\n" +
         rest;
}

const std::string kDeny = binding("  validationActions: [Deny, Audit]\n");

test::Run run(const std::string& command, const std::string& platform, const std::string& job = kJob) {
  base::MemoryFileSystem files;
  files.files["platform.yaml"] = platform;
  files.files["job.yaml"] = job;
  return test::run(files, {command, "--no-config", "platform.yaml", "job.yaml"});
}

std::string lint(const std::string& platform) {
  return run("lint", platform).out;
}

}  // namespace

TEST_CASE("a policy denies a TrainJob, and render refuses it, too") {
  const std::string denied =
      policy(kTrainJobs,
             "  variables: [{name: nodes, expression: object.spec.trainer.numNodes}]\n"
             "  validations:\n  - expression: has(object.spec) && variables.nodes <= 2\n"
             "    messageExpression: \"'at most 2 nodes, not ' + string(variables.nodes)\"\n") +
      kDeny;
  CHECK(
      lint(denied) ==
      R"(job.yaml:11:15: error: the ValidatingAdmissionPolicy "limits" denies the TrainJob "llama": at most 2 nodes, not 4 [input/admission-policy]
   11 |     numNodes: 4
      |               ^
  note: the expression: variables.nodes <= 2 is not true at platform.yaml:8:17
  note: the binding at platform.yaml:13:18

1 finding (1 error) in 1 of 2 files
)");
  const test::Run rendered = run("render", denied);
  CHECK(rendered.status == 1);
  CHECK(rendered.out == "");
}

TEST_CASE("a policy denies the pods, warns or records") {
  const std::string images = policy(
      kPods,
      "  validations: [{expression: \"object.spec.containers.all(c, c.image.startsWith('r.io/'))\"}]\n");
  CHECK(
      lint(images + kDeny) ==
      R"(job.yaml:9:12: error: the ValidatingAdmissionPolicy "limits" denies the pods of Job "llama-node-0": failed expression: object.spec.containers.all(c, c.image.startsWith('r.io/')) [job/admission-policy]
    9 |     image: ghcr.io/team-a/train:1.4.0
      |            ^~~~~~~~~~~~~~~~~~~~~~~~~~ the Job controller can create no pod
  note: the expression: c.image.startsWith('r.io/') is not true at platform.yaml:6:30
  note: the binding at platform.yaml:10:18

1 finding (1 error) in 1 of 2 files
)");
  CHECK(
      lint(images + binding("  validationActions: [Warn]\n")) ==
      R"(job.yaml:9:12: warning: the ValidatingAdmissionPolicy "limits" warns of the pods of Job "llama-node-0": failed expression: object.spec.containers.all(c, c.image.startsWith('r.io/')) [advice/admission-policy-warning]
    9 |     image: ghcr.io/team-a/train:1.4.0
      |            ^~~~~~~~~~~~~~~~~~~~~~~~~~
  note: the expression: c.image.startsWith('r.io/') is not true at platform.yaml:6:30
  note: the binding at platform.yaml:10:18

1 finding (1 warning) in 1 of 2 files
)");
  CHECK(
      lint(images + binding("  validationActions: [Audit]\n")) ==
      R"(job.yaml:9:12: info: the ValidatingAdmissionPolicy "limits" records the pods of Job "llama-node-0": failed expression: object.spec.containers.all(c, c.image.startsWith('r.io/')) [advice/admission-policy-audit]
    9 |     image: ghcr.io/team-a/train:1.4.0
      |            ^~~~~~~~~~~~~~~~~~~~~~~~~~
  note: the expression: c.image.startsWith('r.io/') is not true at platform.yaml:6:30
  note: the binding at platform.yaml:10:18

1 finding (1 info) in 1 of 2 files
)");
  CHECK(
      lint(images) ==
      R"(platform.yaml:3:18: info: the ValidatingAdmissionPolicy "limits" does nothing: the inputs have no ValidatingAdmissionPolicyBinding for it [advice/admission-policy-unbound]
    3 | metadata: {name: limits}
      |                  ^~~~~~ bind it, or add the binding's file to the inputs

1 finding (1 info) in 1 of 2 files
)");
}

TEST_CASE("match conditions and failures of a policy") {
  const auto with = [](const std::string& rest) { return lint(policy(kTrainJobs, rest) + kDeny); };
  const std::string never = "  validations: [{expression: 'false', message: never}]\n";
  CHECK(with("  matchConditions: [{name: large, expression: object.spec.trainer.numNodes > 8}]\n" + never) ==
        "");
  CHECK(with("  failurePolicy: Ignore\n  validations: [{expression: object.spec.queue == ''}]\n") == "");
  CHECK(
      with("  validations: [{expression: object.spec.queue == ''}]\n") ==
      R"(job.yaml:6:1: error: the ValidatingAdmissionPolicy "limits" denies the TrainJob "llama": expression 'object.spec.queue == ''' resulted in error: no such key: queue [input/admission-policy]
    6 | spec:
      | ^~~~
  note: the expression at platform.yaml:6:30
  note: the binding at platform.yaml:10:18

1 finding (1 error) in 1 of 2 files
)");
  CHECK(
      with("  matchConditions: [{name: people, expression: \"request.userInfo.username != 'ci'\"}]\n" +
           never) ==
      R"(job.yaml:4:9: info: the ValidatingAdmissionPolicy "limits" may deny the TrainJob "llama": that depends on request.userInfo [advice/admission-policy-unknown]
    4 |   name: llama
      |         ^~~~~
  note: the policy at platform.yaml:3:18

1 finding (1 info) in 1 of 2 files
)");
  CHECK(
      with("  validations: [{expression: \"request.operation == 'CREATE' && request.namespace == 'team-a' && "
           "request.resource.resource == 'trainjobs' && oldObject == null\"}]\n") == "");
  CHECK(
      with("  validations: [{expression: objekt.spec}]\n") ==
      R"(platform.yaml:6:30: error: undeclared reference to 'objekt' (in container '') [advice/admission-policy-expression]
    6 |   validations: [{expression: objekt.spec}]
      |                              ^~~~~~

1 finding (1 error) in 1 of 2 files
)");
}

TEST_CASE("selectors of namespaces and objects") {
  const std::string never = policy(kTrainJobs, "  validations: [{expression: 'false', message: never}]\n");
  const auto bound = [&](const std::string& selector, const std::string& more = "") {
    return lint(never + binding("  validationActions: [Deny]\n  matchResources: {" + selector + "}\n") +
                more);
  };
  CHECK(bound("namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: team-b}}") == "");
  CHECK(bound("objectSelector: {matchExpressions: [{key: team, operator: Exists}]}") == "");
  CHECK(bound("namespaceSelector: {matchLabels: {tier: gold}}",
              "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: team-a, labels: {tier: tin}}\n") == "");
  CHECK(
      bound("namespaceSelector: {matchLabels: {tier: gold}}") ==
      R"(job.yaml:4:9: info: the ValidatingAdmissionPolicy "limits" may deny the TrainJob "llama": that depends on the labels of the namespace "team-a" [advice/admission-policy-unknown]
    4 |   name: llama
      |         ^~~~~
  note: the policy at platform.yaml:3:18

1 finding (1 info) in 1 of 2 files
)");
}

TEST_CASE("parameters of a policy") {
  const std::string most =
      policy(kTrainJobs,
             "  paramKind: {apiVersion: v1, kind: ConfigMap}\n"
             "  validations: [{expression: object.spec.trainer.numNodes <= int(params.data.nodes)}]\n") +
      binding("  paramRef: {name: most, parameterNotFoundAction: Deny}\n  validationActions: [Deny]\n");
  const auto params = [](const std::string& nodes) {
    return "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: most, namespace: team-a}\ndata: {nodes: "
           "'" +
           nodes + "'}\n";
  };
  CHECK(lint(most + params("4")) == "");
  CHECK(
      lint(most + params("2")) ==
      R"(job.yaml:11:15: error: the ValidatingAdmissionPolicy "limits" denies the TrainJob "llama": failed expression: object.spec.trainer.numNodes <= int(params.data.nodes) [input/admission-policy]
   11 |     numNodes: 4
      |               ^
  note: the expression at platform.yaml:7:30
  note: the binding at platform.yaml:11:18

1 finding (1 error) in 1 of 2 files
)");
  CHECK(
      lint(most) ==
      R"(job.yaml:4:9: info: the ValidatingAdmissionPolicy "limits" may deny the TrainJob "llama": that depends on its parameters, which the inputs don't have [advice/admission-policy-unknown]
    4 |   name: llama
      |         ^~~~~
  note: the policy at platform.yaml:3:18

1 finding (1 info) in 1 of 2 files
)");
}

TEST_CASE("a policy denies a runtime, and a job that is refused for another reason") {
  const std::string owned =
      policy(
          "{apiGroups: [trainer.kubeflow.org], apiVersions: ['*'], operations: [CREATE], resources: ['*']}",
          "  validations: [{expression: 'object.metadata.?labels[?\"team\"].hasValue()', message: no "
          "team}]\n") +
      kDeny +
      "---\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainingRuntime\nmetadata:\n  name: torch\n"
      "  namespace: team-a\n  labels: {trainer.kubeflow.org/framework: torch}\nspec:\n  template:\n    "
      "spec:\n"
      "      replicatedJobs:\n      - name: node\n        template:\n          spec:\n            template:\n"
      "              spec: {containers: [{name: node, image: a/b:1}]}\n";
  const std::string job =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: llama}\n"
      "spec:\n  runtimeRef: {name: missing}\n";
  CHECK(
      run("lint", owned, job).out ==
      R"(job.yaml:3:1: error: the ValidatingAdmissionPolicy "limits" denies the TrainJob "llama": no team [input/admission-policy]
    3 | metadata: {name: llama}
      | ^~~~~~~~
  note: the expression at platform.yaml:6:30
  note: the binding at platform.yaml:10:18

job.yaml:5:22: error: there is no ClusterTrainingRuntime "missing" [input/missing-runtime]
    5 |   runtimeRef: {name: missing}
      |                      ^~~~~~~ add it to the inputs, or pass its file or folder with --runtimes

platform.yaml:20:3: error: the ValidatingAdmissionPolicy "limits" denies the TrainingRuntime "torch": no team [input/admission-policy]
   20 |   labels: {trainer.kubeflow.org/framework: torch}
      |   ^~~~~~
  note: the expression at platform.yaml:6:30
  note: the binding at platform.yaml:10:18

3 findings (3 errors) in 2 of 2 files
)");
}

TEST_CASE("policies of a cluster, which the settings name") {
  base::MemoryFileSystem files;
  files.files[".trainjobc.yaml"] = "policies: [clusters/prod, one.yaml]\n";
  files.files["clusters/prod/policy.yaml"] =
      policy(kTrainJobs, "  validations: [{expression: 'false', message: never}]\n");
  files.files["clusters/prod/more/binding.yaml"] = kDeny;
  files.files["one.yaml"] =
      "apiVersion: v1\nkind: LimitRange\nmetadata: {name: gpus, namespace: team-a}\n"
      "spec: {limits: [{type: Container, max: {nvidia.com/gpu: 8}}]}\n";
  files.files["job.yaml"] = std::string(kJob) + "    resourcesPerNode: {limits: {nvidia.com/gpu: 16}}\n";
  const std::string found = test::run(files, {"lint", "job.yaml"}).out;
  CHECK(
      found ==
      R"(job.yaml:4:9: error: the ValidatingAdmissionPolicy "limits" denies the TrainJob "llama": never [input/admission-policy]
    4 |   name: llama
      |         ^~~~~
  note: the expression at clusters/prod/policy.yaml:6:30
  note: the binding at clusters/prod/more/binding.yaml:4:18

job.yaml:12:49: error: container "node" has a nvidia.com/gpu limit of 16; the LimitRange "gpus" allows at most 8 [job/limit-range]
   12 |     resourcesPerNode: {limits: {nvidia.com/gpu: 16}}
      |                                                 ^~ write at most 8
  note: the LimitRange at one.yaml:4:57

2 findings (2 errors) in 1 of 1 file
)");
  // They count once.
  CHECK(test::run(files, {"lint", "--quiet", "job.yaml", "clusters/prod/policy.yaml", "one.yaml"}).out ==
        test::run(files, {"lint", "--quiet", "job.yaml"}).out);
  files.files[".trainjobc.yaml"] = "policies: [missing]\n";
  CHECK(test::run(files, {"lint", "job.yaml"}).err == R"(trainjobc: open missing: No such file or directory
)");
}

TEST_CASE("messages of a policy don't show secrets, whatever is made of them") {
  const std::string job = std::string(kJob) + "    env: [{name: DB_PASSWORD, value: correct-horse-7}]\n";
  const auto lint_with = [&](const std::string& rest) {
    return run("lint", policy(kTrainJobs, rest) + kDeny, job).out;
  };
  CHECK(
      lint_with("  variables: [{name: password, expression: 'object.spec.trainer.env[0].value'}]\n"
                "  validations:\n  - expression: variables.password == ''\n"
                "    messageExpression: \"'not ' + variables.password + ', not ' + "
                "variables.password.upperAscii() + variables.password.substring(3)\"\n") ==
      R"(job.yaml:12:18: warning: DB_PASSWORD looks like a secret and is in plain text here [advice/plain-secret]
  hint: take it from a Secret: valueFrom: {secretKeyRef: {name: …, key: …}}

job.yaml:12:38: error: the ValidatingAdmissionPolicy "limits" denies the TrainJob "llama": not ***, not *** [input/admission-policy]
  note: the expression at platform.yaml:8:17
  note: the binding at platform.yaml:13:18

2 findings (1 error, 1 warning) in 1 of 2 files
)");
  CHECK(
      lint_with("  validations: [{expression: 'timestamp(object.spec.trainer.env[0].value.upperAscii()) == "
                "null'}]\n") ==
      R"(job.yaml:12:18: warning: DB_PASSWORD looks like a secret and is in plain text here [advice/plain-secret]
  hint: take it from a Secret: valueFrom: {secretKeyRef: {name: …, key: …}}

job.yaml:12:38: error: the ValidatingAdmissionPolicy "limits" denies the TrainJob "llama": expression 'timestamp(object.spec.trainer.env[0].value.upperAscii()) == null' resulted in error: type conversion error from 'string' to 'google.protobuf.Timestamp' [input/admission-policy]
  note: the expression at platform.yaml:6:30
  note: the binding at platform.yaml:10:18

2 findings (1 error, 1 warning) in 1 of 2 files
)");
  const std::string of_secret =
      "  paramKind: {apiVersion: v1, kind: Secret}\n"
      "  validations:\n  - expression: object.metadata.name == params.data.name\n"
      "    messageExpression: \"'not ' + params.data.name + params.data.name.upperAscii()\"\n";
  CHECK(
      run("lint", policy(kTrainJobs, of_secret) +
                      binding("  paramRef: {name: names, parameterNotFoundAction: Deny}\n"
                              "  validationActions: [Deny]\n") +
                      "---\napiVersion: v1\nkind: Secret\nmetadata: {name: names, namespace: team-a}\n"
                      "data: {name: aHVudGVyMg}\n")
          .out ==
      R"(job.yaml:4:9: error: the ValidatingAdmissionPolicy "limits" denies the TrainJob "llama": not ****** [input/admission-policy]
    4 |   name: llama
      |         ^~~~~
  note: the expression at platform.yaml:8:17
  note: the binding at platform.yaml:13:18

1 finding (1 error) in 1 of 2 files
)");
}

TEST_CASE("diff: what a policy says about the change of a TrainJob") {
  constexpr const char* kUpdates =
      "{apiGroups: [trainer.kubeflow.org], apiVersions: ['*'], operations: [UPDATE], resources: [trainjobs]}";
  const auto diff = [&](const std::string& expression, const std::string& action) {
    std::string smaller = kJob;
    smaller.replace(smaller.find("numNodes: 4"), 11, "numNodes: 2");
    base::MemoryFileSystem files;
    files.files["old/job.yaml"] = smaller;
    files.files["new/job.yaml"] = kJob;
    files.files["new/platform.yaml"] =
        policy(kUpdates, "  validations: [{expression: '" + expression + "', message: may not grow}]\n") +
        binding("  validationActions: [" + action + "]\n");
    return test::run(files, {"diff", "--no-config", "-o", "json", "--from", "old", "new"}).err;
  };
  const std::string grows = "object.spec.trainer.numNodes <= oldObject.spec.trainer.numNodes";
  CHECK(
      diff(grows, "Deny") ==
      R"(warning: new/job.yaml:11: the ValidatingAdmissionPolicy "limits" denies the change of the TrainJob "llama": may not grow
)");
  CHECK(
      diff(grows, "Warn") ==
      R"(warning: new/job.yaml:11: the ValidatingAdmissionPolicy "limits" warns of the change of the TrainJob "llama": may not grow
)");
  CHECK(diff(grows, "Audit") == "");
  CHECK(diff("object.spec.runtimeRef == oldObject.spec.runtimeRef && request.operation == \"UPDATE\"",
             "Deny") == "");
}

TEST_CASE("match conditions are evaluated without the Namespace, and their errors are named together") {
  CHECK(lint(policy(kTrainJobs,
                    "  matchConditions:\n  - {name: a, expression: namespaceObject != null}\n"
                    "  validations: [{expression: 'false'}]\n") +
             kDeny) == "");
  CHECK(
      lint(policy(kTrainJobs,
                  "  matchConditions:\n  - {name: a, expression: object.spec.queue == ''}\n"
                  "  - {name: b, expression: object.spec.team == ''}\n"
                  "  validations: [{expression: 'false'}]\n") +
           kDeny) ==
      R"(job.yaml:6:1: error: the ValidatingAdmissionPolicy "limits" denies the TrainJob "llama": [expression 'object.spec.queue == ''' resulted in error: no such key: queue, expression 'object.spec.team == ''' resulted in error: no such key: team] [input/admission-policy]
    6 | spec:
      | ^~~~
  note: the expression at platform.yaml:7:27
  note: the binding at platform.yaml:13:18

1 finding (1 error) in 1 of 2 files
)");
}

TEST_CASE("a variable that fails is named, and what is empty in a request is missing") {
  CHECK(
      lint(policy(kTrainJobs,
                  "  variables: [{name: queue, expression: object.spec.queue}]\n"
                  "  validations: [{expression: variables.queue == ''}]\n") +
           kDeny) ==
      R"(job.yaml:4:9: error: the ValidatingAdmissionPolicy "limits" denies the TrainJob "llama": expression 'variables.queue == ''' resulted in error: composited variable "queue" fails to evaluate: no such key: queue [input/admission-policy]
    4 |   name: llama
      |         ^~~~~
  note: the expression at platform.yaml:7:30
  note: the binding at platform.yaml:11:18

1 finding (1 error) in 1 of 2 files
)");
  CHECK(lint(policy(kTrainJobs, "  validations: [{expression: '!has(request.subResource)'}]\n") + kDeny) ==
        "");
}

TEST_CASE("what an expression may cost ends it") {
  const auto lint_with = [&](const std::string& expression) {
    return lint(policy(kTrainJobs, "  validations: [{expression: \"" + expression + "\"}]\n") + kDeny);
  };
  CHECK(
      lint_with("lists.range(9999).all(x, lists.range(9999).all(y, x + y >= 0))") ==
      R"(job.yaml:4:9: error: the ValidatingAdmissionPolicy "limits" denies the TrainJob "llama": expression 'lists.range(9999).all(x, lists.range(9999).all(y, x + y >= 0))' resulted in error: operation cancelled: actual cost limit exceeded [input/admission-policy]
    4 |   name: llama
      |         ^~~~~
  note: the expression at platform.yaml:6:30
  note: the binding at platform.yaml:10:18

1 finding (1 error) in 1 of 2 files
)");
  CHECK(
      lint_with("sets.contains(lists.range(9999), lists.range(9999))") ==
      R"(job.yaml:4:9: error: the ValidatingAdmissionPolicy "limits" denies the TrainJob "llama": expression 'sets.contains(lists.range(9999), lists.range(9999))' resulted in error: operation cancelled: actual cost limit exceeded [input/admission-policy]
    4 |   name: llama
      |         ^~~~~
  note: the expression at platform.yaml:6:30
  note: the binding at platform.yaml:10:18

1 finding (1 error) in 1 of 2 files
)");
  CHECK(lint_with("'a'.matches('(a{1000}){1000}') == true") ==
        R"(platform.yaml:6:43: error: invalid matches argument [advice/admission-policy-expression]
    6 |   validations: [{expression: "'a'.matches('(a{1000}){1000}') == true"}]
      |                                           ^~~~~~~~~~~~~~~~~

1 finding (1 error) in 1 of 2 files
)");
}

}  // namespace trainjobc::admission_policy_test
