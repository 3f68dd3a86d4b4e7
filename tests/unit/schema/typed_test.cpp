// SPDX-License-Identifier: Apache-2.0

#include "schema/typed.h"

#include <doctest/doctest.h>

#include <string>

#include "support/schema.h"

namespace trainjobc::schema::typed_test {
namespace {

using test::Parsed;

const Schema& pod_spec(std::string_view version = "2.3") {
  return test::schema_below(test::kind_schema(version, "JobSet"),
                            {"spec", "replicatedJobs", "[]", "template", "spec", "template", "spec"});
}

std::string typed(const std::string& text, const Schema& schema) {
  Parsed document(text);
  return test::json(*as_typed(*document, schema, document.make()));
}

std::string typed_pod(const std::string& text) {
  return typed(text, pod_spec());
}

}  // namespace

// Every result here is what Go's JSON decoder and encoder make of the document with the API's types, apart
// from empty metadata and resources, and from the nulls, empty lists and maps of fields without omitempty.

TEST_CASE("as_typed: empty values vanish with omitempty, pointers keep theirs") {
  CHECK(typed_pod(
            "{nodeName: '', hostNetwork: false, nodeSelector: {}, tolerations: [], priority: 0,"
            " terminationGracePeriodSeconds: 0, securityContext: {}, automountServiceAccountToken: false}") ==
        R"({"priority":0,"terminationGracePeriodSeconds":0,"securityContext":{},)"
        R"("automountServiceAccountToken":false})");
}

TEST_CASE("as_typed: nulls are absent") {
  CHECK(typed_pod("{nodeName: null, priority: null, securityContext: null, containers: null}") == "{}");
}

TEST_CASE("as_typed: unknown keys are dropped, also below lists") {
  CHECK(typed_pod("{nodename: a, nodeName: b, hostAliases: [{ip: '1', hostname: x}]}") ==
        R"({"nodeName":"b","hostAliases":[{"ip":"1"}]})");
}

TEST_CASE("as_typed: structs by value and scalars without omitempty appear") {
  CHECK(typed_pod("containers: [{image: i}]") ==
        R"({"containers":[{"image":"i","name":"","resources":{}}]})");
  CHECK(typed("replicatedJobs: [{name: a}]",
              test::schema_below(test::kind_schema("2.3", "JobSet"), {"spec"})) ==
        R"({"replicatedJobs":[{"name":"a","template":{"metadata":{},"spec":{"template":{"metadata":{},)"
        R"("spec":{}}}}}]})");
}

TEST_CASE("as_typed: a null element is its zero value") {
  CHECK(typed_pod("{nodeSelector: {a: null}, hostAliases: [null]}") ==
        R"({"nodeSelector":{"a":""},"hostAliases":[{"ip":""}]})");
}

TEST_CASE("with_zero_values: what Go always writes is added, and nothing is taken away") {
  Parsed document(
      "{containers: [{name: a, env: [null, {value: x}, {name: null}], args: [null], resources: {}}], "
      "volumes: null, "
      "nodeSelector: {a: null}, nothingKnown: 1}");
  CHECK(test::json(*with_zero_values(*document, pod_spec(), document.make())) ==
        R"({"containers":[{"name":"a","env":[{"name":""},{"value":"x","name":""},{"name":""}],"args":[""],)"
        R"("resources":{}}],"volumes":null,"nodeSelector":{"a":null},"nothingKnown":1})");
  Parsed plain("{containers: [{name: a, resources: {}, env: [{name: a}]}]}");
  const yaml::Node& root = *plain;
  CHECK(with_zero_values(root, pod_spec(), plain.make()) == &root);
}

TEST_CASE("as_typed: quantities are spelt as Kubernetes does") {
  CHECK(
      typed_pod(
          "resources: {limits: {cpu: 0.5, memory: 1024Mi, a: 4, b: 1e3, c: 1500m, d: '0.1Gi', e: 2k}}") ==
      R"({"resources":{"limits":{"cpu":"500m","memory":"1Gi","a":"4","b":"1k","c":"1500m","d":"107374182400m",)"
      R"("e":"2k"}}})");
  CHECK(typed_pod("resources: {limits: {cpu: oops}}") == R"({"resources":{"limits":{"cpu":"oops"}}})");
}

TEST_CASE("as_typed: an int-or-string stays what it is") {
  CHECK(typed_pod("containers: [{name: a, livenessProbe: {httpGet: {port: 80}, tcpSocket: {port: http}}}]") ==
        R"({"containers":[{"name":"a","livenessProbe":{"httpGet":{"port":80},"tcpSocket":{"port":"http"}},)"
        R"("resources":{}}]})");
}

TEST_CASE("as_typed: times are written in UTC and whole seconds") {
  const Schema& meta = test::kind_schema("2.3", "ObjectMeta");
  const auto time = [&](const std::string& text) { return typed("creationTimestamp: '" + text + "'", meta); };
  CHECK(time("2026-01-31T08:00:00Z") == R"({"creationTimestamp":"2026-01-31T08:00:00Z"})");
  CHECK(time("2026-01-31T08:00:00.987Z") == R"({"creationTimestamp":"2026-01-31T08:00:00Z"})");
  CHECK(time("2026-01-01T00:30:00+02:00") == R"({"creationTimestamp":"2025-12-31T22:30:00Z"})");
  CHECK(time("2024-02-28T23:30:00-01:30") == R"({"creationTimestamp":"2024-02-29T01:00:00Z"})");
  CHECK(time("yesterday") == R"({"creationTimestamp":"yesterday"})");
}

TEST_CASE("as_typed: values of the wrong type stay") {
  CHECK(typed_pod("{nodeSelector: [a], containers: x, priority: high}") ==
        R"({"nodeSelector":["a"],"containers":"x","priority":"high"})");
}

TEST_CASE("as_typed: what does not change is shared") {
  Parsed document("{nodeName: a, nodeSelector: {b: c}, hostAliases: [{ip: '1'}]}");
  CHECK(as_typed(*document, pod_spec(), document.make()) == &*document);
  Parsed changed("{nodeName: '', nodeSelector: {b: c}}");
  const yaml::Node* result = as_typed(*changed, pod_spec(), changed.make());
  CHECK(result != &*changed);
  CHECK(result->get("nodeSelector") == changed->get("nodeSelector"));
}

}  // namespace trainjobc::schema::typed_test
