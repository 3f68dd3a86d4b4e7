// SPDX-License-Identifier: Apache-2.0

#include <doctest/doctest.h>

#include "support/versions.h"

namespace trainjobc::version_resources_test {
using namespace trainjobc::test;

namespace {

std::string runtime_with(const std::string& spec, const std::string& container) {
  return cluster_runtime(spec + template_of(flow_replicated_job("node", "trainer", container)));
}

const std::string kRequests = "resources: {limits: {cpu: 4, memory: 8Gi}, requests: {cpu: 2}}";

}  // namespace

TEST_CASE("resourcesPerNode replaces the runtime's resources until 2.2, and merges by resource in 2.3") {
  const std::string manifests =
      runtime_with("mlPolicy: {numNodes: 1}, ", kRequests) +
      train_job("trainer: {resourcesPerNode: {limits: {cpu: 6}, claims: [{name: c}]}}");
  const std::string replaced = "{\"limits\":{\"cpu\":\"6\"}}\n";
  CHECK(in_each_version(manifests, "JobSet", of_node("resources")) ==
        "2.0 " + replaced + "2.1 " + replaced + "2.2 " + replaced +
            "2.3 {\"limits\":{\"cpu\":\"6\",\"memory\":\"8Gi\"},\"requests\":{\"cpu\":\"2\"}}\n");
}

TEST_CASE("an empty list of resources replaces, and merges as nothing") {
  const std::string manifests = runtime_with("mlPolicy: {numNodes: 1}, ", "resources: {limits: {cpu: 4}}") +
                                train_job("trainer: {resourcesPerNode: {limits: {}}}");
  const std::string emptied = "{\"limits\":{}}\n";
  CHECK(in_each_version(manifests, "JobSet", of_node("resources")) ==
        "2.0 " + emptied + "2.1 " + emptied + "2.2 " + emptied + "2.3 {\"limits\":{\"cpu\":\"4\"}}\n");
}

TEST_CASE("2.3 ignores resourcesPerNode under a runtime without mlPolicy") {
  const std::string manifests = runtime_with("", "resources: {limits: {cpu: 4}}") +
                                train_job("trainer: {resourcesPerNode: {limits: {cpu: 6}}}");
  CHECK(in_each_version(manifests, "JobSet", of_node("resources/limits/cpu")) ==
        "2.0 \"6\"\n2.1 \"6\"\n2.2 \"6\"\n2.3 \"4\"\n");
}

TEST_CASE("a PodGroup counts the runtime's requests until 2.1, the job's in 2.2, the merged ones in 2.3") {
  const std::string manifests = runtime_with("podGroupPolicy: {coscheduling: {}}, mlPolicy: {numNodes: 2}, ",
                                             "resources: {requests: {cpu: 2, memory: 1Gi}}") +
                                train_job("trainer: {resourcesPerNode: {requests: {cpu: 3}}}");
  const std::string of_runtime = "{\"cpu\":\"4\",\"memory\":\"2Gi\"}\n";
  CHECK(in_each_version(manifests, "PodGroup", "spec/minResources") ==
        "2.0 " + of_runtime + "2.1 " + of_runtime +
            "2.2 {\"cpu\":\"6\"}\n2.3 {\"cpu\":\"6\",\"memory\":\"2Gi\"}\n");
}

TEST_CASE("an empty podGroupPolicy labels the pods in 2.0") {
  CHECK(in_each_version(runtime_with("podGroupPolicy: {}, ", "image: a") + train_job(), "JobSet",
                        "spec/replicatedJobs/node/template/spec/template/metadata/labels") ==
        "2.0 {\"scheduling.x-k8s.io/pod-group\":\"job\"}\n2.1 -\n2.2 -\n2.3 -\n");
}

TEST_CASE("in 2.0 all trainers get the pod count of the first") {
  const std::string two = cluster_runtime(
      "mlPolicy: {numNodes: 1}, " +
      template_of(flow_replicated_job("node", "trainer") + ", " + flow_replicated_job("second", "trainer")));
  CHECK(in_each_version(two + train_job("trainer: {numNodes: 3}"), "JobSet",
                        "spec/replicatedJobs/second/template/spec/parallelism") ==
        "2.0 3\n2.1 1\n2.2 1\n2.3 1\n");
}

TEST_CASE("2.3 rebuilds init containers too: two unnamed ports become one, twice") {
  const std::string init = "initContainers: [{name: prep, ports: [{containerPort: 1}, {containerPort: 2}]}]";
  const std::string manifests =
      cluster_runtime(template_of(flow_replicated_job("node", "trainer", "", init))) + train_job();
  const std::string both =
      "[{\"containerPort\":1,\"protocol\":\"TCP\"},{\"containerPort\":2,\"protocol\":\"TCP\"}]\n";
  CHECK(in_each_version(manifests, "JobSet", std::string(kPodSpec) + "/initContainers/prep/ports") ==
        "2.0 " + both + "2.1 " + both + "2.2 " + both +
            "2.3 refused: spec.replicatedJobs[0].template.spec.template.spec.initContainers[0].ports[1]: the "
            "controller treats ports without a name as one, and writes the last of them twice\n");
}

}  // namespace trainjobc::version_resources_test
