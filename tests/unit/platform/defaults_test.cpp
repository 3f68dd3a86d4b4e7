// SPDX-License-Identifier: Apache-2.0

#include "platform/defaults.h"

#include <doctest/doctest.h>

#include "support/reading.h"

namespace trainjobc::defaults_test {
namespace {

using Fill = const yaml::Node* (*)(const yaml::Node&, const yaml::Maker&);

std::string filled(Fill fill, std::string_view text) {
  const test::Reading read(text);
  base::Arena arena;
  std::string out;
  yaml::write_json(*fill(read.root(), yaml::Maker(arena)), yaml::KeyOrder::Alphabet, 0, out);
  return out;
}

}  // namespace

TEST_CASE("defaults of a pod") {
  CHECK(
      filled(platform::with_pod_defaults, R"(
serviceAccountName: trainer
terminationGracePeriodSeconds: -1
hostNetwork: true
initContainers: [{name: init, image: "a:1", startupProbe: {httpGet: {port: 80}}}]
containers:
- name: node
  image: a
  ports: [{containerPort: 80}]
  env: [{name: POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]
  resources: {limits: {cpu: 1}}
volumes:
- name: none
- {name: image, image: {reference: "a:latest"}}
- {name: keys, projected: {sources: [{secret: {name: s}}, {serviceAccountToken: {path: t}}]}}
- {name: own, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce]}}}}
)") ==
      R"({"containers":[{"env":[{"name":"POD","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}}],)"
      R"("image":"a","imagePullPolicy":"Always","name":"node","ports":[{"containerPort":80,"hostPort":80,"protocol":"TCP"}],)"
      R"("resources":{"limits":{"cpu":1},"requests":{"cpu":1}},"terminationMessagePath":"/dev/termination-log",)"
      R"("terminationMessagePolicy":"File"}],"dnsPolicy":"ClusterFirst","enableServiceLinks":true,"hostNetwork":true,)"
      R"("initContainers":[{"image":"a:1","imagePullPolicy":"IfNotPresent","name":"init","resources":{},)"
      R"("startupProbe":{"failureThreshold":3,"httpGet":{"path":"/","port":80,"scheme":"HTTP"},"periodSeconds":10,)"
      R"("successThreshold":1,"timeoutSeconds":1},"terminationMessagePath":"/dev/termination-log",)"
      R"("terminationMessagePolicy":"File"}],"restartPolicy":"Always","schedulerName":"default-scheduler",)"
      R"("securityContext":{},"serviceAccount":"trainer","serviceAccountName":"trainer",)"
      R"("terminationGracePeriodSeconds":1,"volumes":[{"emptyDir":{},"name":"none"},)"
      R"({"image":{"pullPolicy":"Always","reference":"a:latest"},"name":"image"},)"
      R"({"name":"keys","projected":{"defaultMode":420,"sources":[{"secret":{"name":"s"}},)"
      R"({"serviceAccountToken":{"expirationSeconds":3600,"path":"t"}}]}},)"
      R"({"ephemeral":{"volumeClaimTemplate":{"spec":{"accessModes":["ReadWriteOnce"],"volumeMode":"Filesystem"}}},)"
      R"("name":"own"}]})");
}

TEST_CASE("defaults of a Job, and of its template, which are fewer than a pod's") {
  CHECK(filled(platform::with_job_defaults,
               "spec: {template: {spec: {restartPolicy: Never, containers: [{resources: {limits: {cpu: "
               "1}}}]}}}") ==
        R"({"spec":{"backoffLimit":6,"completionMode":"NonIndexed","completions":1,"manualSelector":false,)"
        R"("parallelism":1,"podReplacementPolicy":"TerminatingOrFailed","suspend":false,"template":{"spec":{)"
        R"("containers":[{"imagePullPolicy":"Always","resources":{"limits":{"cpu":1}},)"
        R"("terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],)"
        R"("dnsPolicy":"ClusterFirst","restartPolicy":"Never","schedulerName":"default-scheduler",)"
        R"("securityContext":{},"terminationGracePeriodSeconds":30}}}})");
  CHECK(
      filled(platform::with_job_defaults,
             "spec: {parallelism: 2, backoffLimitPerIndex: 1, "
             "podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]}}") ==
      R"({"spec":{"backoffLimit":2147483647,"backoffLimitPerIndex":1,"completionMode":"NonIndexed",)"
      R"("manualSelector":false,"parallelism":2,"podFailurePolicy":{"rules":[{"action":"Ignore",)"
      R"("onPodConditions":[{"status":"True","type":"DisruptionTarget"}]}]},"podReplacementPolicy":"Failed",)"
      R"("suspend":false}})");
}

}  // namespace trainjobc::defaults_test
