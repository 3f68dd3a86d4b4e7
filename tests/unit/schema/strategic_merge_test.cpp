// SPDX-License-Identifier: Apache-2.0

#include "schema/strategic_merge.h"

#include <doctest/doctest.h>

#include <string>
#include <variant>

#include "support/schema.h"

namespace trainjobc::schema::strategic_merge_test {
namespace {

using test::Parsed;

const Schema& job_set_spec() {
  return test::schema_below(test::kind_schema("2.3", "JobSet"), {"spec"});
}

const Schema& pod_spec() {
  return test::schema_below(job_set_spec(), {"replicatedJobs", "[]", "template", "spec", "template", "spec"});
}

// The merged document, or "error: …" with the culprit in JSON.
std::string merge(const std::string& original, const std::string& patch, const Schema& schema) {
  Parsed base(original);
  const Parsed change(patch);
  const MergeResult result = strategic_merge(&*base, *change, schema, base.make());
  if (const auto* merged = std::get_if<const yaml::Node*>(&result)) return test::json(**merged);
  const auto& error = std::get<MergeError>(result);
  REQUIRE(error.culprit != nullptr);
  const std::string hint = error.hint.empty() ? "" : " (" + error.hint + ")";
  return "error: " + error.message + hint + ": " + test::json(*error.culprit);
}

std::string merge_job_set(const std::string& original, const std::string& patch) {
  return merge(original, patch, job_set_spec());
}

std::string merge_pod(const std::string& original, const std::string& patch) {
  return merge(original, patch, pod_spec());
}

}  // namespace

// Every result here is what Go's strategicpatch.StrategicMergePatch gives for the same pair.

TEST_CASE("strategic merge: maps merge key by key, scalars are replaced") {
  CHECK(
      merge_job_set(R"({"suspend":true,"network":{"subdomain":"a","enableDNSHostnames":true}})",
                    R"({"network":{"subdomain":"b"},"ttlSecondsAfterFinished":3})") ==
      R"({"suspend":true,"network":{"subdomain":"b","enableDNSHostnames":true},"ttlSecondsAfterFinished":3})");
  CHECK(merge_job_set(R"({"suspend":true})", R"({"suspend":{"a":1},"network":[1]})") ==
        R"({"suspend":{"a":1},"network":[1]})");
}

TEST_CASE("strategic merge: an absent original is an empty map") {
  Parsed patch("network: {subdomain: a, enableDNSHostnames: null}");
  const MergeResult result = strategic_merge(nullptr, *patch, job_set_spec(), patch.make());
  CHECK(test::json(*std::get<const yaml::Node*>(result)) == R"({"network":{"subdomain":"a"}})");
}

TEST_CASE("strategic merge: a null removes its key, and is dropped from what is new") {
  CHECK(merge_job_set(R"({"suspend":true,"network":{"subdomain":"a"}})",
                      R"({"suspend":null,"network":{"subdomain":null},"managedBy":null})") ==
        R"({"network":{}})");
  CHECK(merge_job_set("{}", R"({"network":{"subdomain":null,"enableDNSHostnames":true}})") ==
        R"({"network":{"enableDNSHostnames":true}})");
}

TEST_CASE("strategic merge: a null in a new list element stays") {
  CHECK(merge_job_set(R"({"replicatedJobs":[{"name":"a","dependsOn":[{"name":"x","status":"Ready"}]}]})",
                      R"({"replicatedJobs":[{"name":"a","dependsOn":[{"name":"y","status":null},)"
                      R"({"name":"x","status":null}]}]})") ==
        R"({"replicatedJobs":[{"name":"a","dependsOn":[{"name":"y","status":null},{"name":"x"}]}]})");
}

TEST_CASE("strategic merge: elements of the patch go before the others that follow them") {
  CHECK(merge_job_set(
            R"({"replicatedJobs":[{"name":"a","replicas":1},{"name":"b","replicas":1},)"
            R"({"name":"c","replicas":1}]})",
            R"({"replicatedJobs":[{"name":"c","replicas":2},{"name":"new"},{"name":"a","replicas":3}]})") ==
        R"({"replicatedJobs":[{"name":"b","replicas":1},{"name":"c","replicas":2},{"name":"new"},)"
        R"({"name":"a","replicas":3}]})");
  CHECK(merge_pod(R"({"containers":[{"name":"a"},{"name":"b"},{"name":"c"},{"name":"d"}]})",
                  R"({"containers":[{"name":"d"},{"name":"b"}]})") ==
        R"({"containers":[{"name":"a"},{"name":"c"},{"name":"d"},{"name":"b"}]})");
  CHECK(merge_pod(R"({"imagePullSecrets":[{"name":"a"}]})", R"({"imagePullSecrets":[{"name":"b"}]})") ==
        R"({"imagePullSecrets":[{"name":"b"},{"name":"a"}]})");
}

TEST_CASE("strategic merge: list elements are found by the key of their list") {
  CHECK(merge_pod(R"({"containers":[{"name":"node","volumeMounts":[{"name":"v","mountPath":"/a"},)"
                  R"({"name":"v","mountPath":"/b"}]}]})",
                  R"({"containers":[{"name":"node","volumeMounts":[{"name":"w","mountPath":"/b"}]}]})") ==
        R"({"containers":[{"name":"node","volumeMounts":[{"name":"v","mountPath":"/a"},)"
        R"({"name":"w","mountPath":"/b"}]}]})");
  CHECK(merge_pod(R"({"hostAliases":[{"ip":"1","hostnames":["a"]}]})",
                  R"({"hostAliases":[{"ip":"1","hostnames":["b"]},{"ip":"2","hostnames":["c"]}]})") ==
        R"({"hostAliases":[{"ip":"1","hostnames":["b"]},{"ip":"2","hostnames":["c"]}]})");
  // The first port of the number, whatever its protocol.
  CHECK(merge_pod(R"({"containers":[{"name":"node","ports":[{"containerPort":80,"protocol":"TCP"},)"
                  R"({"containerPort":80,"protocol":"UDP"}]}]})",
                  R"({"containers":[{"name":"node","ports":[{"containerPort":80,"name":"http"},)"
                  R"({"containerPort":81}]}]})") ==
        R"({"containers":[{"name":"node","ports":[{"containerPort":80,"protocol":"TCP","name":"http"},)"
        R"({"containerPort":80,"protocol":"UDP"},{"containerPort":81}]}]})");
  // A number is not its text.
  CHECK(merge_pod(R"({"containers":[{"name":7}]})", R"({"containers":[{"name":"7","image":"i"}]})") ==
        R"({"containers":[{"name":"7","image":"i"},{"name":7}]})");
}

TEST_CASE("strategic merge: another source is added to the existing one") {
  CHECK(merge_pod(R"({"volumes":[{"name":"v","emptyDir":{}}]})",
                  R"({"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}}]})") ==
        R"({"volumes":[{"name":"v","emptyDir":{},"persistentVolumeClaim":{"claimName":"c"}}]})");
  CHECK(merge_pod(R"({"containers":[{"name":"node","env":[{"name":"A","value":"1"}]}]})",
                  R"({"containers":[{"name":"node","env":[{"name":"A","valueFrom":{"fieldRef":{}}}]}]})") ==
        R"({"containers":[{"name":"node","env":[{"name":"A","value":"1","valueFrom":{"fieldRef":{}}}]}]})");
}

TEST_CASE("strategic merge: $retainKeys keeps the keys it lists") {
  CHECK(merge_pod(R"({"volumes":[{"name":"v","emptyDir":{}}]})",
                  R"({"volumes":[{"name":"v","$retainKeys":["name","persistentVolumeClaim"],)"
                  R"("persistentVolumeClaim":{"claimName":"c"}}]})") ==
        R"({"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}}]})");
  CHECK(merge_job_set(R"({"suspend":true})", R"({"$retainKeys":["coordinator"],"suspend":false})") ==
        "error: the patch sets \"suspend\", which its $retainKeys does not list (add suspend to "
        "$retainKeys): false");
  CHECK(merge_job_set(R"({"suspend":true})", R"({"$retainKeys":"suspend"})") ==
        "error: $retainKeys must be a list of field names: \"suspend\"");
}

TEST_CASE("strategic merge: lists without a merge key are replaced") {
  CHECK(merge_pod(R"({"tolerations":[{"key":"a"},{"key":"b"}]})", R"({"tolerations":[{"key":"c"}]})") ==
        R"({"tolerations":[{"key":"c"}]})");
  CHECK(merge_pod(R"({"containers":[{"name":"node","command":["a","b"]},{"name":"side"}]})",
                  R"({"containers":[{"name":"side","image":"i"},{"name":"node","command":["c"]}]})") ==
        R"({"containers":[{"name":"side","image":"i"},{"name":"node","command":["c"]}]})");
}

TEST_CASE("strategic merge: lists of scalars are united, or lose the items of $deleteFromPrimitiveList") {
  const auto with_finalizers = [](const std::string& text) {
    return R"({"replicatedJobs":[{"name":"a","template":{"metadata":{)" + text + "}}}]}";
  };
  CHECK(merge_job_set(with_finalizers(R"("finalizers":["x/1","x/2","x/3"])"),
                      with_finalizers(R"("finalizers":["x/3","x/4"])")) ==
        with_finalizers(R"("finalizers":["x/1","x/2","x/3","x/4"])"));
  CHECK(merge_job_set(with_finalizers(R"("finalizers":["x/1","x/2"])"),
                      with_finalizers(R"("$deleteFromPrimitiveList/finalizers":["x/1"])")) ==
        with_finalizers(R"("finalizers":["x/2"])"));
  CHECK(merge_pod(R"({"tolerations":[{"key":"a"}]})",
                  R"({"$deleteFromPrimitiveList/tolerations":[{"key":"a"}]})") ==
        R"(error: this list has no merge key: it can only be replaced: [{"key":"a"}])");
}

TEST_CASE("strategic merge: $patch in a map") {
  CHECK(merge_pod(R"({"nodeSelector":{"a":"1","b":"2"}})",
                  R"({"nodeSelector":{"$patch":"replace","c":"3"}})") == R"({"nodeSelector":{"c":"3"}})");
  CHECK(merge_job_set(R"({"network":{"subdomain":"a"},"suspend":true})",
                      R"({"network":{"$patch":"delete"}})") == R"({"network":{},"suspend":true})");
  // With nothing to merge into, the whole map vanishes.
  CHECK(merge_job_set(R"({"suspend":true})", R"({"network":{"$patch":"replace","subdomain":"b"}})") ==
        R"({"suspend":true})");
  CHECK(merge_job_set(R"({"network":{"subdomain":"a"}})", R"({"network":{"$patch":"merge"}})") ==
        R"(error: $patch must be "replace" or "delete", not "merge": "merge")");
  CHECK(merge_job_set(R"({"network":{"subdomain":"a"}})", R"({"network":{"$patch":null}})") ==
        R"(error: $patch must be "replace" or "delete", not null: null)");
}

TEST_CASE("strategic merge: $patch in a list") {
  const std::string jobs = R"({"replicatedJobs":[{"name":"a"},{"name":"b"},{"name":"c"}]})";
  CHECK(merge_job_set(jobs, R"({"replicatedJobs":[{"name":"b","$patch":"delete"}]})") ==
        R"({"replicatedJobs":[{"name":"a"},{"name":"c"}]})");
  CHECK(merge_job_set(jobs, R"({"replicatedJobs":[{"$patch":"replace"},{"name":"new"}]})") ==
        R"({"replicatedJobs":[{"name":"new"}]})");
  CHECK(merge_job_set(jobs, R"({"replicatedJobs":[{"$patch":"delete"}]})") ==
        R"(error: $patch: delete needs the "name" of the element to delete: {"$patch":"delete"})");
  CHECK(merge_job_set(jobs, R"({"replicatedJobs":[{"name":"a","$patch":"merge"}]})") ==
        R"(error: $patch in a list must be "replace" or "delete", not "merge": "merge")");
}

TEST_CASE("strategic merge: elements that can't be told apart") {
  CHECK(merge_job_set(R"({"replicatedJobs":[{"name":"a"}]})", R"({"replicatedJobs":[{"replicas":2}]})") ==
        R"(error: this element has no "name", the list's merge key (add name:): {"replicas":2})");
  CHECK(merge_pod(R"({"containers":[{"image":"i"}]})", R"({"containers":[{"name":"a"}]})") ==
        R"(error: an element of this list has no "name", the list's merge key: [{"name":"a"}])");
  CHECK(
      merge_job_set(R"({"replicatedJobs":[{"name":"a"}]})", R"({"replicatedJobs":["a"]})") ==
      R"(error: the elements of a merged list must all have the same type, including the runtime's: ["a"])");
  CHECK(merge_job_set(R"({"replicatedJobs":[]})", R"({"replicatedJobs":[null]})") ==
        "error: a list that contains a null can't be merged: [null]");
}

TEST_CASE("strategic merge: $setElementOrder") {
  CHECK(merge_job_set(R"({"replicatedJobs":[{"name":"a"},{"name":"b"},{"name":"c"}]})",
                      R"({"$setElementOrder/replicatedJobs":[{"name":"c"},{"name":"a"}],)"
                      R"("replicatedJobs":[{"name":"a","replicas":2}]})") ==
        R"({"replicatedJobs":[{"name":"b"},{"name":"c"},{"name":"a","replicas":2}]})");
  CHECK(merge_job_set(R"({"replicatedJobs":[{"name":"a"}]})",
                      R"({"$setElementOrder/replicatedJobs":[{"name":"b"},{"name":"a"}],)"
                      R"("replicatedJobs":[{"name":"a"},{"name":"b"}]})") ==
        R"(error: the elements of the patch must be in the order of its $setElementOrder: {"name":"b"})");
  CHECK(merge_job_set(R"({"replicatedJobs":[]})", R"({"$setElementOrder/replicatedJobs":[]})") ==
        "error: $setElementOrder/replicatedJobs orders a list that has no elements: []");
  CHECK(merge_job_set("{}", R"({"$setElementOrder":[]})") ==
        R"(error: "$setElementOrder" must name a list: $setElementOrder/<list>: [])");
}

TEST_CASE("strategic merge: every leaf keeps its place") {
  Parsed base("network:\n  subdomain: a\n  enableDNSHostnames: true\n");
  const Parsed patch("# a comment\n\nnetwork:\n  subdomain: b\n");
  const MergeResult result = strategic_merge(&*base, *patch, job_set_spec(), base.make());
  const yaml::Node* network = std::get<const yaml::Node*>(result)->get("network");
  REQUIRE(network != nullptr);
  CHECK(network->get("subdomain")->origin().line() == 4);
  CHECK(network->find("subdomain")->key_origin.line() == 4);
  CHECK(network->get("enableDNSHostnames")->origin().line() == 3);
}

}  // namespace trainjobc::schema::strategic_merge_test
