// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include <functional>
#include <set>
#include <string>

#include "schema/typed.h"
#include "support/schema.h"

namespace trainjobc::schema::defaults_test {
namespace {

using test::Parsed;

std::string defaulted(std::string_view version, std::string_view kind, const std::string& text) {
  Parsed document(text);
  return test::json(*apply_defaults(*document, test::kind_schema(version, kind), document.make()));
}

}  // namespace

TEST_CASE("defaults: absent and null fields take their default, other nulls go") {
  CHECK(defaulted("2.3", "TrainJob", "spec: {runtimeRef: {name: a, kind: null}, trainer: null}") ==
        R"({"spec":{"runtimeRef":{"name":"a","kind":"ClusterTrainingRuntime",)"
        R"("apiGroup":"trainer.kubeflow.org"},"managedBy":"trainer.kubeflow.org/trainjob-controller",)"
        R"("suspend":false}})");
}

TEST_CASE("defaults: nulls go from maps and below lists, not from lists") {
  CHECK(
      defaulted("2.3", "TrainJob",
                "{spec: {suspend: true, managedBy: a, runtimeRef: {name: a, kind: b, apiGroup: c},"
                " trainer: {args: [a, null], env: [{name: a, value: null}],"
                " resourcesPerNode: {limits: {cpu: null, memory: 1Gi}}}}}") ==
      R"({"spec":{"suspend":true,"managedBy":"a","runtimeRef":{"name":"a","kind":"b","apiGroup":"c"},)"
      R"("trainer":{"args":["a",null],"env":[{"name":"a"}],"resourcesPerNode":{"limits":{"memory":"1Gi"}}}}})");
}

TEST_CASE("defaults: of list elements and of defaulted maps") {
  CHECK(
      defaulted("2.3", "TrainingRuntime",
                "spec: {template: {spec: {replicatedJobs: [{name: a, template: {spec: {template: {spec:"
                " {containers: [{name: b, ports: [{containerPort: 80}]}]}}}}}]}}}") ==
      R"({"spec":{"template":{"spec":{"replicatedJobs":[{"name":"a","template":{"spec":{"template":{"spec":)"
      R"({"containers":[{"name":"b","ports":[{"containerPort":80,"protocol":"TCP"}]}]}}}},)"
      R"("groupName":"default","replicas":1}]}}}})");
  CHECK(
      defaulted("2.3", "TrainingRuntime", "spec: {mlPolicy: {mpi: {}}}") ==
      R"({"spec":{"mlPolicy":{"mpi":{"mpiImplementation":"OpenMPI","numProcPerNode":1,"runLauncherAsNode":false,)"
      R"("sshAuthMountPath":"/root/.ssh"}}}})");
}

TEST_CASE("defaults: values of the wrong type are left") {
  CHECK(defaulted("2.3", "TrainJob", "spec: [a]") == R"({"spec":["a"]})");
  CHECK(defaulted("2.3", "TrainJob", "spec: null") == "{}");
}

TEST_CASE("defaults: they point at the map that lacks them") {
  Parsed document("spec:\n  runtimeRef:\n    name: a\n");
  const yaml::Node* root = apply_defaults(*document, test::kind_schema("2.3", "TrainJob"), document.make());
  const yaml::Node* kind = root->at({"spec", "runtimeRef", "kind"});
  REQUIRE(kind != nullptr);
  REQUIRE(kind->origin().derivation() != nullptr);
  CHECK(kind->origin().derivation()->rule == "default");
  CHECK(yaml::locate(*kind).line == 3);
  CHECK(root->at({"spec", "runtimeRef", "name"}) == document->at({"spec", "runtimeRef", "name"}));
}

TEST_CASE("defaults: what does not change is shared") {
  Parsed document("spec: {suspend: true, managedBy: a, runtimeRef: {name: a, kind: b, apiGroup: c}}");
  CHECK(apply_defaults(*document, test::kind_schema("2.3", "TrainJob"), document.make()) == &*document);
}

TEST_CASE("defaults: every default of the tables reads back as its JSON text") {
  base::Arena arena;
  const yaml::Maker make(arena);
  std::set<const Schema*> seen;
  std::set<std::string_view> defaults;
  const std::function<void(const Schema&)> visit = [&](const Schema& schema) {
    if (!seen.insert(&schema).second) return;
    if (!schema.default_json.empty()) {
      defaults.insert(schema.default_json);
      CHECK(test::json(*default_node(schema, make, {})) == schema.default_json);
    }
    for (const Property& property : schema.properties) visit(*property.schema);
    if (schema.items) visit(*schema.items);
    if (schema.additional) visit(*schema.additional);
  };
  for (const VersionSchemas& version : all_versions()) {
    for (const KindSchema& kind : version.kinds) visit(*kind.schema);
  }
  CHECK(defaults.size() > 10);
}

}  // namespace trainjobc::schema::defaults_test
