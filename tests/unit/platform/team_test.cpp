// SPDX-License-Identifier: Apache-2.0

// A team's own rules, as lint reports them.
#include <doctest/doctest.h>

#include <string>

#include "rules/rules.h"
#include "support/test_console.h"

namespace trainjobc::team_test {
namespace {

constexpr const char* kJob =
    "apiVersion: trainer.kubeflow.org/v1alpha1\n"
    "kind: TrainJob\n"
    "metadata:\n"
    "  name: llama\n"
    "  labels: {team: research}\n"
    "spec:\n"
    "  runtimeRef: {name: team-torch}\n"
    "  trainer:\n"
    "    numNodes: 2\n"
    "    resourcesPerNode:\n"
    "      limits: {cpu: 1500m, memory: 4Gi, nvidia.com/gpu: 8}\n";

constexpr const char* kRuntime =
    "apiVersion: trainer.kubeflow.org/v1alpha1\n"
    "kind: ClusterTrainingRuntime\n"
    "metadata:\n"
    "  name: team-torch\n"
    "  labels: {trainer.kubeflow.org/framework: torch}\n"
    "spec:\n"
    "  mlPolicy: {numNodes: 1, torch: {}}\n"
    "  template:\n"
    "    spec:\n"
    "      replicatedJobs:\n"
    "      - name: node\n"
    "        template:\n"
    "          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}\n"
    "          spec:\n"
    "            template:\n"
    "              spec:\n"
    "                containers:\n"
    "                - name: node\n"
    "                  image: docker.io/team/train:1.0\n"
    "                  command: [torchrun, train.py]\n";

test::Run lint(const std::string& policies, std::vector<std::string> arguments = {}, std::string job = kJob) {
  base::MemoryFileSystem files;
  files.files[".trainjobc.yaml"] = policies;
  files.files["jobs/llama.yaml"] = std::move(job);
  files.files["runtimes/torch.yaml"] = kRuntime;
  arguments.insert(arguments.begin(), "lint");
  arguments.insert(arguments.end(), {"--quiet", "jobs", "runtimes"});
  return test::run(files, arguments);
}

// What rules of the kind find whose expressions must be true.
std::string found(const std::string& kind, const std::string& expression) {
  return lint("policies:\n- id: rule\n  kinds: [" + kind + "]\n  expression: " + expression +
              "\n  message: not so\n")
      .out;
}

}  // namespace

TEST_CASE("a rule is a finding at the line that makes it false") {
  CHECK(found("TrainJob", "object.metadata.?labels[?'owner'].hasValue()") ==
        R"(jobs/llama.yaml:5:3: error: not so [team/rule]
    5 |   labels: {team: research}
      |   ^~~~~~
  note: the rule at .trainjobc.yaml:2:7

)");
  CHECK(found("TrainJob", "object.spec.trainer.numNodes > 1 && object.spec.trainer.numNodes <= 1") ==
        R"(jobs/llama.yaml:9:15: error: not so [team/rule]
    9 |     numNodes: 2
      |               ^
  note: the rule: object.spec.trainer.numNodes <= 1 is not true at .trainjobc.yaml:2:7

)");
  CHECK(found("Pod", "object.spec.containers.all(c, c.image.startsWith('ghcr.io/'))") ==
        R"(runtimes/torch.yaml:19:26: error: not so [team/rule]
   19 |                   image: docker.io/team/train:1.0
      |                          ^~~~~~~~~~~~~~~~~~~~~~~~
  note: the rule: c.image.startsWith('ghcr.io/') is not true at .trainjobc.yaml:2:7

)");
  CHECK(found("ClusterTrainingRuntime", "has(object.spec.mlPolicy.mpi)") ==
        R"(runtimes/torch.yaml:7:3: error: not so [team/rule]
    7 |   mlPolicy: {numNodes: 1, torch: {}}
      |   ^~~~~~~~
  note: the rule at .trainjobc.yaml:2:7

)");
  CHECK(found("JobSet", "object.spec.replicatedJobs.size() == 2") ==
        R"(runtimes/torch.yaml:10:7: error: not so [team/rule]
   10 |       replicatedJobs:
      |       ^~~~~~~~~~~~~~
  note: the rule at .trainjobc.yaml:2:7

)");
}

TEST_CASE("plan says what a job takes") {
  CHECK(
      found("TrainJob",
            "plan.nodes == 2 && plan.pods == 2 && plan.processes == 16 && plan.cpu == 3 && plan.memory == "
            "8589934592 && plan.framework == 'torch' && plan.runtime == 'team-torch' && !has(plan.queue)") ==
      "");
  CHECK(found("TrainJob", "plan.devices < 16") == R"(jobs/llama.yaml:11:57: error: not so [team/rule]
   11 |       limits: {cpu: 1500m, memory: 4Gi, nvidia.com/gpu: 8}
      |                                                         ^
  note: the rule at .trainjobc.yaml:2:7

)");
}

TEST_CASE("Jobs and pods are as the API server stores them") {
  CHECK(found("Job", "object.metadata.name == 'llama-node-0' && object.spec.backoffLimit == 6") == "");
  CHECK(
      found("Pod",
            "object.metadata.generateName == 'llama-node-0-0-' && object.spec.dnsPolicy == 'ClusterFirst' && "
            "object.spec.containers[0].resources.requests['nvidia.com/gpu'] == '8' && "
            "object.spec.containers[0].imagePullPolicy == 'IfNotPresent'") == "");
}

TEST_CASE("a message may be an expression, and an error is a finding") {
  CHECK(
      lint(
          "policies:\n- id: gpus\n  kinds: [TrainJob]\n  expression: plan.devices <= 8\n  severity: warning\n"
          "  messageExpression: \"string(plan.devices) + ' devices are too many'\"\n  hint: take fewer\n")
          .out == R"(jobs/llama.yaml:11:57: warning: 16 devices are too many [team/gpus]
   11 |       limits: {cpu: 1500m, memory: 4Gi, nvidia.com/gpu: 8}
      |                                                         ^ take fewer
  note: the rule at .trainjobc.yaml:2:7

)");
  CHECK(found("TrainJob", "object.metadata.annotations['owner'] != ''") ==
        R"(jobs/llama.yaml:3:1: error: the expression can't be evaluated: no such key: annotations [team/rule]
    3 | metadata:
      | ^~~~~~~~ if a field may be missing, write object.?field.orValue(…) or has(object.field)
  note: the rule at .trainjobc.yaml:2:7

)");
}

TEST_CASE("an expression that does not compile is a finding at its character") {
  CHECK(found("TrainJob", "object.spec.trainer.nodes > 1") ==
        R"(.trainjobc.yaml:4:35: error: TrainJob: undefined field 'nodes' [config/expression]
    4 |   expression: object.spec.trainer.nodes > 1
      |                                   ^~~~~

)");
  CHECK(lint("policies:\n- id: a\n  kinds: [TrainJob]\n  expression: |\n    has(object.spec)\n      && "
             "objekt.spec\n"
             "  message: m\n- id: b\n  kinds: [Pod]\n  expression: plan.gpus < 2\n  message: m\n"
             "- id: c\n  kinds: [TrainJob]\n  expression: 1 + 1\n  message: m\n")
            .out ==
        R"(.trainjobc.yaml:6:10: error: undeclared reference to 'objekt' (in container '') [config/expression]
    6 |       && objekt.spec
      |          ^~~~~~

.trainjobc.yaml:10:20: error: undefined field 'gpus' [config/expression]
   10 |   expression: plan.gpus < 2
      |                    ^~~~

.trainjobc.yaml:14:15: error: must evaluate to bool, not to int [config/expression]
   14 |   expression: 1 + 1
      |               ^~~~~

)");
}

TEST_CASE("the settings may hold whole policies, which need no binding") {
  const std::string policy =
      "policies:\n"
      "- apiVersion: admissionregistration.k8s.io/v1\n"
      "  kind: ValidatingAdmissionPolicy\n"
      "  metadata: {name: nodes}\n"
      "  spec:\n"
      "    paramKind: {apiVersion: v1, kind: ConfigMap}\n"
      "    matchConstraints:\n"
      "      resourceRules:\n"
      "      - {apiGroups: [trainer.kubeflow.org], apiVersions: ['*'], operations: [CREATE], resources: "
      "[trainjobs]}\n"
      "    validations:\n"
      "    - expression: 'object.spec.trainer.numNodes <= (params == null ? 1 : int(params.data.most))'\n"
      "      message: too many nodes\n"
      "- {id: owner, kinds: [TrainJob], expression: 'true', message: m}\n";
  CHECK(
      lint(policy).out ==
      R"(jobs/llama.yaml:9:15: error: the ValidatingAdmissionPolicy "nodes" denies the TrainJob "llama": too many nodes [input/admission-policy]
    9 |     numNodes: 2
      |               ^
  note: the expression at .trainjobc.yaml:11:19
  note: the policy at .trainjobc.yaml:4:20

)");
  const std::string bound = policy +
                            "- apiVersion: admissionregistration.k8s.io/v1\n"
                            "  kind: ValidatingAdmissionPolicyBinding\n"
                            "  metadata: {name: nodes}\n"
                            "  spec:\n"
                            "    policyName: nodes\n"
                            "    paramRef: {name: limits, parameterNotFoundAction: Deny}\n"
                            "    validationActions: [Warn]\n"
                            "- {apiVersion: v1, kind: ConfigMap, metadata: {name: limits}, data: {most: '";
  CHECK(
      lint(bound + "1'}}\n").out ==
      R"(jobs/llama.yaml:9:15: warning: the ValidatingAdmissionPolicy "nodes" warns of the TrainJob "llama": too many nodes [advice/admission-policy-warning]
    9 |     numNodes: 2
      |               ^
  note: the expression at .trainjobc.yaml:11:19
  note: the binding at .trainjobc.yaml:16:20

)");
  CHECK(lint(bound + "2'}}\n").out == "");
  base::MemoryFileSystem files;
  files.files[".trainjobc.yaml"] = policy;
  files.files["job.yaml"] = kJob;
  files.files["runtime.yaml"] = kRuntime;
  CHECK(test::run(files, {"render", "job.yaml", "runtime.yaml"}).status == 0);
}

TEST_CASE("rules are suppressed, listed and in SARIF like others") {
  const std::string rule =
      "policies:\n- {id: small, kinds: [TrainJob], expression: plan.nodes < 2, message: one node is "
      "enough}\n";
  std::string job = kJob;
  job.insert(job.find("\n    resources"), "  # trainjobc:ignore team/small -- it is large");
  CHECK(lint(rule, {}, job).out == "");
  CHECK(lint(rule + "rules: {team/small: warning}\n").out ==
        R"(jobs/llama.yaml:9:15: warning: one node is enough [team/small]
    9 |     numNodes: 2
      |               ^
  note: the rule at .trainjobc.yaml:2:8

)");
  const std::string listed = lint(rule, {"--list-rules"}).out;
  CHECK(listed.substr(listed.rfind("team/")) ==
        R"(team/small                          error    one node is enough
)");
  const std::string sarif = lint(rule, {"--format", "sarif"}).out;
  const size_t at = sarif.find("{\n              \"id\": \"team/small\"");
  std::string expected = R"({
              "id": "team/small",
              "shortDescription": {
                "text": "one node is enough"
              },
              "fullDescription": {
                "text": "one node is enough"
              },
              "defaultConfiguration": {
                "level": "error"
              },
              "help": {
                "text": "one node is enough\n\n    plan.nodes < 2",
                "markdown": "one node is enough\n\n```yaml\nplan.nodes < 2\n```\n"
              }
            }
          ]
        }
      },
      "columnKind": "utf16CodeUnits",
      "results": [
        {
          "ruleId": "team/small",
          "ruleIndex": LAST,
          "level": "error",
          "message": {
            "text": "one node is enough"
          },
          "locations": [
            {
              "physicalLocation": {
                "artifactLocation": {
                  "uri": "jobs/llama.yaml",
                  "uriBaseId": "%SRCROOT%"
                },
                "region": {
                  "startLine": 9,
                  "startColumn": 15,
                  "endLine": 9,
                  "endColumn": 16
                }
              }
            }
          ],
          "relatedLocations": [
            {
              "physicalLocation": {
                "artifactLocation": {
                  "uri": ".trainjobc.yaml",
                  "uriBaseId": "%SRCROOT%"
                },
                "region": {
                  "startLine": 2,
                  "startColumn": 8,
                  "endLine": 2,
                  "endColumn": 13
                }
              },
              "message": {
                "text": "the rule"
              }
            }
          ],
          "partialFingerprints": {
            "primaryLocationLineHash": "afc0a11e7f25d335:1"
          },
          "properties": {
            "object": "TrainJob/default/llama"
          }
        }
      ]
    }
  ]
}
)";
  const std::string place = "LAST";  // after the rules of trainjobc
  expected.replace(expected.find(place), place.size(), std::to_string(rules::all_rules().size()));
  CHECK(sarif.substr(std::min(at, sarif.size())) == expected);
}

TEST_CASE("policies: what is wrong with a rule's form") {
  const auto said = [](const std::string& rule) { return lint("policies:\n- " + rule + "\n").err; };
  CHECK(said("{id: a, kinds: [TrainJobs], expression: 'true', message: m}") ==
        R"(.trainjobc.yaml:2:19: error: a rule can't be about the kind "TrainJobs" [config/invalid]
    2 | - {id: a, kinds: [TrainJobs], expression: 'true', message: m}
      |                   ^~~~~~~~~ did you mean "TrainJob"?
)");
  CHECK(
      said("{id: A b, kinds: [TrainJob], expression: 'true', message: m}") ==
      R"(.trainjobc.yaml:2:8: error: an id consists of lower-case letters, digits and dashes [config/invalid]
    2 | - {id: A b, kinds: [TrainJob], expression: 'true', message: m}
      |        ^~~ such as gpu-limit
)");
  CHECK(said("{id: a, kinds: [TrainJob], message: m}") ==
        R"(.trainjobc.yaml:2:3: error: a rule needs an expression [config/invalid]
    2 | - {id: a, kinds: [TrainJob], message: m}
      |   ^
)");
  CHECK(said("{id: a, kinds: [TrainJob], expression: 'true'}") ==
        R"(.trainjobc.yaml:2:3: error: a rule needs a message or a messageExpression [config/invalid]
    2 | - {id: a, kinds: [TrainJob], expression: 'true'}
      |   ^
)");
  CHECK(lint("rules: {team/ownr: off}\n").err ==
        R"(.trainjobc.yaml:1:9: error: there is no rule "team/ownr" [config/invalid]
    1 | rules: {team/ownr: off}
      |         ^~~~~~~~~ trainjobc lint --list-rules lists them
)");
}

TEST_CASE("policies test runs the cases of rules") {
  base::MemoryFileSystem files;
  files.files[".trainjobc.yaml"] =
      "policies:\n- {id: small, kinds: [TrainJob], expression: plan.nodes < 2, message: one node is enough}\n"
      "- {id: other, kinds: [TrainJob], expression: 'true', message: m}\n";
  files.files["policies/small/bad.yaml"] = std::string(kJob) + "---\n" + kRuntime;
  files.files["policies/small/good.yaml"] = files.files["policies/small/bad.yaml"];
  files.files["policies/unknown/bad.yaml"] = kJob;
  files.files["policies/small/bad-empty.yaml"] = "a: b\n";
  const test::Run run = test::run(files, {"policies", "test", "policies"});
  CHECK(run.status == 1);
  CHECK(run.out == R"(policies/small/bad-empty.yaml: contains no TrainJob and no runtime
policies/small/good.yaml: team/small finds: policies/small/good.yaml:9: one node is enough
policies/unknown/bad.yaml: there is no rule team/unknown in its settings
)");
  CHECK(run.err == R"(note: team/other has no case
4 cases of 2 rules: 3 failed
)");
}

TEST_CASE("policies test reads the cases with the settings above them") {
  base::MemoryFileSystem files;
  files.files["policies/plain/bad.yaml"] = std::string(kJob) + "---\n" + kRuntime;
  const auto run_with = [&](const std::string& settings) {
    files.files[".trainjobc.yaml"] =
        settings +
        "policies:\n- {id: plain, kinds: [Pod], expression: '!has(object.spec.volumes)', message: m}\n";
    const test::Run run = test::run(files, {"policies", "test", "policies"});
    return run.out + run.err;
  };
  // The gate adds a volume.
  CHECK(run_with("featureGates: [TrainJobStatus]\n") == "1 case of 1 rule: all pass\n");
  CHECK(run_with("") == "policies/plain/bad.yaml: team/plain finds nothing\n1 case of 1 rule: 1 failed\n");
}

}  // namespace trainjobc::team_test
