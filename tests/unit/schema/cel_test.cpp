// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "schema/validate.h"
#include "support/schema.h"

namespace trainjobc::schema::cel_test {
namespace {

using test::Parsed;
using Fields = std::vector<std::string>;

std::string report(const std::string& text, std::string_view kind = "TrainingRuntime",
                   std::string_view version = "2.3") {
  const Parsed document(text);
  return test::report(validate_cel(*document, test::kind_schema(version, kind)));
}

Fields fields(const std::string& text, std::string_view kind = "TrainingRuntime",
              std::string_view version = "2.3") {
  const Parsed document(text);
  return test::fields(validate_cel(*document, test::kind_schema(version, kind)));
}

void check_known(const Schema& schema, std::set<const Schema*>& seen, std::set<std::string_view>& rules) {
  if (!seen.insert(&schema).second) return;
  for (const CelRule& rule : schema.rules) {
    CHECK_MESSAGE(knows_cel_rule(rule.rule), rule.rule);
    rules.insert(rule.rule);
  }
  for (const Property& property : schema.properties) check_known(*property.schema, seen, rules);
  if (schema.items) check_known(*schema.items, seen, rules);
  if (schema.additional) check_known(*schema.additional, seen, rules);
}

}  // namespace

TEST_CASE("CEL: the code knows every rule of every version") {
  std::set<const Schema*> seen;
  std::set<std::string_view> rules;
  for (const VersionSchemas& version : all_versions()) {
    for (const KindSchema& kind : version.kinds) check_known(*kind.schema, seen, rules);
  }
  CHECK(rules.size() == 21);
  CHECK_FALSE(knows_cel_rule("self != oldSelf"));
}

TEST_CASE("CEL: names of TrainJobs") {
  CHECK(report("metadata:\n  name: Three.Layers\n", "TrainJob") ==
        "t.yaml:2:9: error: metadata.name \"Three.Layers\" must consist of lower-case letters, digits and "
        "'-', and "
        "begin with a letter [input/cel]\n"
        "    2 |   name: Three.Layers\n"
        "      |         ^~~~~~~~~~~~ such as \"three-layers\"\n");
  CHECK(report("metadata:\n  name: " + std::string(64, 'a') + "\n", "TrainJob") ==
        "t.yaml:2:9: error: metadata.name has 64 characters, at most 63 are allowed [input/cel]\n"
        "    2 |   name: " +
            std::string(64, 'a') + "\n      |         ^" + std::string(63, '~') +
            " with 48 of them, the names of pods fit, too, which add -node-0-0-xxxxx\n");
  CHECK(fields("metadata: {name: 9a}", "TrainJob") == Fields{"metadata.name"});
  CHECK(fields("metadata: {name: a-}", "TrainJob") == Fields{"metadata.name"});
  CHECK(fields("metadata: {name: a}", "TrainJob").empty());
  CHECK(fields("metadata: {name: " + std::string(63, 'a') + "}", "TrainJob").empty());
}

TEST_CASE("CEL: a generated name") {
  CHECK(fields("metadata: {generateName: a-}", "TrainJob").empty());
  CHECK(fields("metadata: {generateName: " + std::string(200, 'a') + "}", "TrainJob").empty());
  CHECK(report("metadata:\n  generateName: 9-\n", "TrainJob") ==
        "t.yaml:2:17: error: metadata.name \"9-\" must consist of lower-case letters, digits and '-', and "
        "begin with "
        "a letter [input/cel]\n"
        "    2 |   generateName: 9-\n"
        "      |                 ^~\n");
  // A missing name is the metadata's to report.
  CHECK(fields("metadata: {}", "TrainJob").empty());
}

TEST_CASE("CEL: managedBy") {
  CHECK(report("spec:\n  managedBy: me\n", "TrainJob") ==
        "t.yaml:2:14: error: spec.managedBy can't be \"me\" [input/cel]\n"
        "    2 |   managedBy: me\n"
        "      |              ^~ leave it out, or write \"trainer.kubeflow.org/trainjob-controller\" or "
        "\"kueue.x-k8s.io/multikueue\"\n");
  CHECK(fields("spec: {managedBy: kueue.x-k8s.io/multikueue}", "TrainJob").empty());
}

TEST_CASE("CEL: storage URIs") {
  CHECK(
      report("spec:\n  initializer:\n    dataset:\n      storageUri: rajpurkar/squad\n", "TrainJob") ==
      "t.yaml:4:19: error: spec.initializer.dataset.storageUri \"rajpurkar/squad\" must begin with a scheme "
      "[input/cel]\n"
      "    4 |       storageUri: rajpurkar/squad\n"
      "      |                   ^~~~~~~~~~~~~~~ such as \"hf://rajpurkar/squad\"\n");
  const auto accepts = [](const std::string& uri) {
    return fields("spec: {initializer: {model: {storageUri: \"" + uri + "\"}}}", "TrainJob").empty();
  };
  CHECK(accepts(""));
  CHECK(accepts("s3://bucket"));
  CHECK(accepts("a+b.c-9://x"));
  CHECK_FALSE(accepts("s3://"));
  CHECK_FALSE(accepts("://x"));
  CHECK_FALSE(accepts("3s://x"));
  CHECK_FALSE(accepts("s_3://x"));
  CHECK_FALSE(accepts("s3://a\\nb"));
  CHECK(fields("spec: {initializer: {model: {storageUri: a/b}}}", "TrainJob", "2.2").empty());
}

TEST_CASE("CEL: one policy") {
  CHECK(report("spec:\n  mlPolicy:\n    torch: {}\n    jax: {}\n    mpi: {}\n") ==
        "t.yaml:5:10: error: spec.mlPolicy can have only one policy, not torch, mpi and jax [input/cel]\n"
        "    5 |     mpi: {}\n"
        "      |          ^ keep one of them\n");
  CHECK(report("spec:\n  mlPolicy:\n    torch: {}\n    mpi: {}\n", "TrainingRuntime", "2.0") ==
        "t.yaml:4:10: error: spec.mlPolicy can have only one policy, not torch and mpi [input/cel]\n"
        "    4 |     mpi: {}\n"
        "      |          ^ keep one of them\n");
}

TEST_CASE("CEL: numProcPerNode") {
  CHECK(report("spec:\n  mlPolicy:\n    flux:\n      numProcPerNode: 0\n") ==
        "t.yaml:4:23: error: spec.mlPolicy.flux.numProcPerNode must be at least 1, not 0 [input/cel]\n"
        "    4 |       numProcPerNode: 0\n"
        "      |                       ^\n");
  const auto torch = [](const std::string& value) {
    return report("spec:\n  mlPolicy:\n    torch:\n      numProcPerNode: " + value + "\n", "TrainingRuntime",
                  "2.1");
  };
  CHECK(torch("auto") == "");
  CHECK(torch("1") == "");
  CHECK(torch("'4'") ==
        "t.yaml:4:23: error: spec.mlPolicy.torch.numProcPerNode must be auto, cpu, gpu or a number above 0, "
        "not "
        "\"4\" [input/cel]\n"
        "    4 |       numProcPerNode: '4'\n"
        "      |                       ^~~ leave the quotes out: 4\n");
  CHECK(torch("0") ==
        "t.yaml:4:23: error: spec.mlPolicy.torch.numProcPerNode must be auto, cpu, gpu or a number above 0, "
        "not 0 "
        "[input/cel]\n"
        "    4 |       numProcPerNode: 0\n"
        "      |                       ^\n");
}

TEST_CASE("CEL: elasticPolicy") {
  CHECK(report("spec:\n  mlPolicy:\n    numNodes: 2\n    torch:\n      elasticPolicy:\n        minNodes: 1\n",
               "TrainingRuntime", "2.1") ==
        "t.yaml:6:9: error: spec.mlPolicy can't have both numNodes and torch.elasticPolicy [input/cel]\n"
        "    6 |         minNodes: 1\n"
        "      |         ^~~~~~~~ remove it\n");
  CHECK(fields("spec: {mlPolicy: {torch: {elasticPolicy: {}}}}", "TrainingRuntime", "2.1").empty());
}

TEST_CASE("CEL: envInjection") {
  CHECK(
      report("spec:\n  mlPolicy:\n    torch:\n      envInjection:\n        targets:\n"
             "        - containerNames: [side, node]\n") ==
      "t.yaml:6:34: error: spec.mlPolicy.torch.envInjection.targets[0].containerNames can't hold \"node\" "
      "[input/cel]\n"
      "    6 |         - containerNames: [side, node]\n"
      "      |                                  ^~~~ remove it: container node always gets the variables\n");
}

TEST_CASE("CEL: startupPolicy and dependsOn") {
  const std::string jobs =
      "        replicatedJobs:\n        - name: a\n          dependsOn:\n          - name: b\n";
  CHECK(report("spec:\n    template:\n      spec:\n        startupPolicy:\n          startupPolicyOrder: "
               "InOrder\n" +
               jobs) ==
        "t.yaml:9:11: error: spec.template.spec can't have both startupPolicy InOrder and dependsOn "
        "[input/cel]\n"
        "    9 |           - name: b\n"
        "      |           ^ remove one of the two\n");
  CHECK(fields("spec:\n    template:\n      spec:\n        startupPolicy:\n          startupPolicyOrder: "
               "AnyOrder\n" +
               jobs)
            .empty());
  // In CEL, a key that a rule reads and that is missing makes it fail.
  CHECK(report("spec: {template: {spec: {startupPolicy: {startupPolicyOrder: InOrder}}}}") ==
        "t.yaml:1:41: error: spec.template.spec with a startupPolicy needs replicatedJobs [input/cel]\n"
        "    1 | spec: {template: {spec: {startupPolicy: {startupPolicyOrder: InOrder}}}}\n"
        "      |                                         ^\n");
}

TEST_CASE("CEL: volume claims") {
  const auto claims = [](const std::string& policy) {
    return report("spec: {template: {spec: {volumeClaimPolicies: [" + policy + "]}}}");
  };
  CHECK(claims("{templates: [{metadata: {name: a}}]}") == "");
  CHECK(claims("{templates: [{metadata: {namespace: ''}}]}") == "");
  CHECK(
      claims("{templates: [{metadata: {namespace: a}}]}") ==
      "t.yaml:1:84: error: spec.template.spec.volumeClaimPolicies[0] can't have a template with a namespace "
      "[input/cel]\n"
      "    1 | spec: {template: {spec: {volumeClaimPolicies: [{templates: [{metadata: {namespace: a}}]}]}}}\n"
      "      |                                                                                    ^ remove "
      "it: "
      "claims live in the JobSet's namespace\n");
  CHECK(
      claims("{templates: [{}]}") ==
      R"(t.yaml:1:61: error: spec.template.spec.volumeClaimPolicies[0] needs metadata in each template [input/cel]
    1 | spec: {template: {spec: {volumeClaimPolicies: [{templates: [{}]}]}}}
      |                                                             ^ add metadata with a name
)");
  CHECK(claims("{}") ==
        R"(t.yaml:1:48: error: spec.template.spec.volumeClaimPolicies[0] needs templates [input/cel]
    1 | spec: {template: {spec: {volumeClaimPolicies: [{}]}}}
      |                                                ^ add templates:
)");
}

TEST_CASE("CEL: the status isn't checked") {
  CHECK(fields("status: {trainerStatus: {}}", "TrainJob").empty());
}

}  // namespace trainjobc::schema::cel_test
