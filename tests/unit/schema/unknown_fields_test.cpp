// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include <string>

#include "schema/validate.h"
#include "support/schema.h"

namespace trainjobc::schema::unknown_fields_test {
namespace {

using test::Parsed;
using Fields = std::vector<std::string>;

std::string report(const std::string& text, std::string_view kind = "TrainJob",
                   std::string_view version = "2.3") {
  const Parsed document(text);
  return test::report(find_unknown_fields(*document, test::kind_schema(version, kind), kind, version));
}

// The hint for the only unknown field.
std::string hint(const std::string& text, std::string_view kind = "TrainJob",
                 std::string_view version = "2.3") {
  const Parsed document(text);
  const k8s::Violations found =
      find_unknown_fields(*document, test::kind_schema(version, kind), kind, version);
  REQUIRE(found.size() == 1);
  return found.front().hint;
}

Fields fields(const std::string& text, std::string_view kind = "TrainJob") {
  const Parsed document(text);
  return test::fields(find_unknown_fields(*document, test::kind_schema("2.3", kind)));
}

}  // namespace

TEST_CASE("unknown fields: typos") {
  CHECK(report("spec:\n  trainer:\n    resourcePerNode:\n      limits: {}\n") ==
        "t.yaml:3:5: error: unknown field \"resourcePerNode\" in spec.trainer [input/unknown-field]\n"
        "    3 |     resourcePerNode:\n"
        "      |     ^~~~~~~~~~~~~~~ did you mean \"resourcesPerNode\"?\n");
  CHECK(report("Spec: {}\nnotes: free text\n") ==
        "t.yaml:1:1: error: unknown field \"Spec\" in the object [input/unknown-field]\n"
        "    1 | Spec: {}\n"
        "      | ^~~~ did you mean \"spec\"?\n"
        "t.yaml:2:1: error: unknown field \"notes\" in the object [input/unknown-field]\n"
        "    2 | notes: free text\n"
        "      | ^~~~~ its fields are apiVersion, kind, metadata, spec, status\n");
}

TEST_CASE("unknown fields: fields of other versions") {
  CHECK(hint("spec: {podTemplateOverrides: []}") ==
        "only Trainer 2.1 has it; Trainer 2.3 has runtimePatches instead");
  CHECK(hint("spec: {labels: {}}") == "it existed until Trainer 2.1; Trainer 2.3 has runtimePatches instead");
  CHECK(hint("spec: {runtimePatches: []}", "TrainJob", "2.1") ==
        "it was added in Trainer 2.2; Trainer 2.1 has podTemplateOverrides instead");
  CHECK(hint("spec: {podTemplateOverrides: []}", "TrainJob", "2.0") ==
        "it was added in Trainer 2.1; Trainer 2.0 has podSpecOverrides instead");
  CHECK(hint("spec: {mlPolicy: {torch: {numProcPerNode: 4}}}", "TrainingRuntime") ==
        "it existed until Trainer 2.1");
  CHECK(hint("spec: {mlPolicy: {jax: {}}}", "TrainingRuntime", "2.1") == "it was added in Trainer 2.2");
}

TEST_CASE("unknown fields: fields that belong elsewhere") {
  CHECK(hint("trainer: {}") == "it is a field of spec");
  CHECK(hint("spec: {numNodes: 2}") == "it is a field of spec.trainer");
  CHECK(hint("spec: {trainer: {runtimeRef: {name: a}}}") == "it is a field of spec");
  CHECK(hint("spec: {runtimeRef: {numNodes: 2}}") == "it is a field of spec.trainer");
  CHECK(hint("spec: {runtimePatches: [{trainingRuntimeSpec: {template: {spec: {replicatedJobs: [{template: "
             "{spec:"
             " {template: {spec: {containers: [{image: a}]}}}}}]}}}}]}") == "it is a field of spec.trainer");
  CHECK(hint("spec: {runtimePatches: [{trainingRuntimeSpec: {template: {spec: {replicatedJobs: [{template: "
             "{spec:"
             " {template: {spec: {initContainers: [{image: a}]}}}}}]}}}}]}") ==
        "its fields are env, name, securityContext, volumeMounts");
  CHECK(
      report("spec:\n  trainer:\n    workingDir: /a\n    runtimeClassName: nvidia\n    tolerations: []\n") ==
      R"(t.yaml:3:5: error: unknown field "workingDir" in spec.trainer: it is a field of runtimes, not of jobs [input/unknown-field]
    3 |     workingDir: /a
      |     ^~~~~~~~~~ set it in the runtime's spec.template.spec.replicatedJobs[].template.spec.template.spec.containers[]
t.yaml:4:5: error: unknown field "runtimeClassName" in spec.trainer: it is a field of runtimes, not of jobs [input/unknown-field]
    4 |     runtimeClassName: nvidia
      |     ^~~~~~~~~~~~~~~~ set it in the runtime's spec.template.spec.replicatedJobs[].template.spec.template.spec
t.yaml:5:5: error: unknown field "tolerations" in spec.trainer: a job sets it in spec.runtimePatches [input/unknown-field]
    5 |     tolerations: []
      |     ^~~~~~~~~~~ write it in spec.runtimePatches[].trainingRuntimeSpec.template.spec.replicatedJobs[].template.spec.template.spec
)");
  CHECK(hint("spec: {template: {spec: {replicatedJobs: [{template: {spec: {containers: []}}}]}}}",
             "TrainingRuntime") ==
        "it is a field of spec.template.spec.replicatedJobs[0].template.spec.template.spec");
  CHECK(hint("spec: {mlPolicy: {jax: {numNodes: 2}}}", "TrainingRuntime") ==
        "it is a field of spec.mlPolicy");
  CHECK(hint("spec: {mlPolicy: {jax: {mesh: a}}}", "TrainingRuntime") == "spec.mlPolicy.jax has no fields");
  CHECK(hint("spec: {template: {spec: {replicatedJobs: [{template: {spec: {template: {metadata: "
             "{clusterName: a}}}}}]"
             "}}}",
             "TrainingRuntime") == "its fields are annotations, finalizers, labels, name, namespace");
}

TEST_CASE("unknown fields: inside values of the wrong shape") {
  CHECK(report("spec:\n  trainer:\n    env:\n      EPOCHS: '10'\n  runtimeRef:\n  - name: a\n") ==
        "t.yaml:4:7: error: unknown field \"EPOCHS\" in spec.trainer.env [input/unknown-field]\n"
        "    4 |       EPOCHS: '10'\n"
        "      |       ^~~~~~ spec.trainer.env must be a list\n"
        "t.yaml:6:5: error: unknown field \"name\" in spec.runtimeRef[0] [input/unknown-field]\n"
        "    6 |   - name: a\n"
        "      |     ^~~~ a list is not allowed here\n");
  CHECK(report("spec:\n  trainer:\n    image:\n      name: a\n") ==
        "t.yaml:4:7: error: unknown field \"name\" in spec.trainer.image [input/unknown-field]\n"
        "    4 |       name: a\n"
        "      |       ^~~~ spec.trainer.image has no fields\n");
}

TEST_CASE("unknown fields: nothing below an unknown field is checked") {
  CHECK(fields("{spec: {foo: {bar: 1}, trainer: {env: [{name: a, val: 1}]}}, metadata: {labels: {any: b}, x: "
               "1}}") == Fields{"spec.foo", "spec.trainer.env[0].val", "metadata.x"});
}

TEST_CASE("unknown fields: maps of any keys") {
  CHECK(fields("{spec: {trainer: {resourcesPerNode: {limits: {a.b/c: 1}}}}, metadata: {managedFields:"
               " [{fieldsV1: {'f:x': {}}}]}}")
            .empty());
}

}  // namespace trainjobc::schema::unknown_fields_test
