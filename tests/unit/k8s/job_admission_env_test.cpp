// SPDX-License-Identifier: Apache-2.0

// Environment variables and what they refer to.
#include <string>

#include "support/job_admission.h"

namespace trainjobc::test::jobs::job_admission_env_test {
namespace {

TEST_CASE("names of variables") {
  CHECK(container_findings(R"(
env: [{name: has=equals}, {name: ""}, {name: ΚΛΕΙΔΙ}, {name: 1.with space}, {name: “A”}, {name: “B}]
)") ==
        R"(env[0].name: variable name "has=equals" may contain only printable ASCII characters, and no '='
env[1].name: name of env[1] is empty | add name
env[2].name: variable name "ΚΛΕΙΔΙ" may contain only printable ASCII characters, and no '='
env[4].name: variable name "“A”" may contain only printable ASCII characters, and no '=' | write A
env[5].name: variable name "“B" may contain only printable ASCII characters, and no '='
)");
}

TEST_CASE("a variable has one source") {
  CHECK(
      container_findings(R"(
env:
- {name: A, valueFrom: {}}
- {name: B, value: x, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
- {name: C, valueFrom: {configMapKeyRef: {name: a, key: b}, secretKeyRef: {name: a, key: b}}}
)") ==
      R"(env[0].valueFrom: valueFrom names no source | one of fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef, or remove valueFrom
env[1].valueFrom: variable B has both value and valueFrom | remove one of the two
env[2].valueFrom: variable C has 2 sources: configMapKeyRef, secretKeyRef | keep one of them
)");
}

TEST_CASE("keys of ConfigMaps and Secrets") {
  CHECK(
      container_findings(R"(
env:
- {name: A, valueFrom: {configMapKeyRef: {name: a, key: train/lr}}}
- {name: B, valueFrom: {secretKeyRef: {name: HF_Token, key: b}}}
- {name: C, valueFrom: {secretKeyRef: {key: ..b}}}
- {name: D, valueFrom: {secretKeyRef: {name: a}}}
- {name: E, valueFrom: {secretKeyRef: {name: a, key: .}}}
- {name: F, valueFrom: {secretKeyRef: {name: a, key: .b}}}
)") ==
      R"(env[0].valueFrom.configMapKeyRef.key: key "train/lr" may contain only letters, digits, '-', '_' and '.' | write train-lr
env[1].valueFrom.secretKeyRef.name: name of secretKeyRef "HF_Token" may contain only lower-case letters, digits, '-' and '.', and each part between dots must begin and end with a letter or digit | write hf-token
env[2].valueFrom.secretKeyRef.name: name of secretKeyRef is missing
env[2].valueFrom.secretKeyRef.key: key "..b" can't begin with '..' or be a lone '.' | write b
env[3].valueFrom.secretKeyRef.key: secretKeyRef has no key | add key
env[4].valueFrom.secretKeyRef.key: key "." can't begin with '..' or be a lone '.'
)");
}

TEST_CASE("fields of the pod") {
  CHECK(
      container_findings(R"(
env:
- {name: A, valueFrom: {fieldRef: {fieldPath: status.phase}}}
- {name: B, valueFrom: {fieldRef: {fieldPath: metadata.labels}}}
- {name: C, valueFrom: {fieldRef: {fieldPath: "metadata.labels['a b']"}}}
- {name: D, valueFrom: {fieldRef: {fieldPath: "metadata.annotations['Batch/Index']"}}}
- {name: E, valueFrom: {fieldRef: {fieldPath: "spec.nodeName['a']"}}}
- {name: F, valueFrom: {fieldRef: {}}}
- {name: G, valueFrom: {fieldRef: {fieldPath: status.podIP, apiVersion: v2}}}
- {name: H, valueFrom: {fieldRef: {fieldPath: spec.host}}}
)") ==
      R"(env[0].valueFrom.fieldRef.fieldPath: fieldPath "status.phase" is not supported here | one of metadata.name, metadata.namespace, metadata.uid, spec.nodeName, spec.serviceAccountName, status.hostIP, status.hostIPs, status.podIP, status.podIPs
env[1].valueFrom.fieldRef.fieldPath: fieldPath "metadata.labels" is not supported here | name the key: metadata.labels['app']
env[2].valueFrom.fieldRef: label key "a b" may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit
env[4].valueFrom.fieldRef.fieldPath: spec.nodeName can't have a key in brackets | only metadata.labels and metadata.annotations can
env[5].valueFrom.fieldRef.fieldPath: fieldRef has no fieldPath | add fieldPath
env[6].valueFrom.fieldRef.fieldPath: pods have no apiVersion "v2" | leave apiVersion out
)");
}

TEST_CASE("resources of the container") {
  CHECK(
      container_findings(R"(
env:
- {name: A, valueFrom: {resourceFieldRef: {resource: limits.nvidia.com/gpu}}}
- {name: B, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: 100m}}}
- {name: C, valueFrom: {resourceFieldRef: {resource: requests.memory, divisor: 1m}}}
- {name: D, valueFrom: {resourceFieldRef: {resource: limits.hugepages-2Mi, divisor: 1Mi}}}
- {name: E, valueFrom: {resourceFieldRef: {divisor: 0}}}
)") ==
      R"(env[0].valueFrom.resourceFieldRef.resource: resource "limits.nvidia.com/gpu" is not supported here | limits or requests of cpu, memory, ephemeral-storage or hugepages-<size>
env[1].valueFrom.resourceFieldRef.divisor: limits.cpu can't be divided by 100m | 1 or 1m
env[2].valueFrom.resourceFieldRef.divisor: requests.memory can't be divided by 1m | 1, or one k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei
env[4].valueFrom.resourceFieldRef.resource: resourceFieldRef has no resource | add resource
)");
}

TEST_CASE("files of variables") {
  CHECK(container_findings(R"(
env:
- {name: A, valueFrom: {fileKeyRef: {volumeName: none, path: ../x, key: a=b}}}
- {name: B, valueFrom: {fileKeyRef: {volumeName: claim, path: x, key: a}}}
- {name: C, valueFrom: {fileKeyRef: {volumeName: scratch, path: x, key: a}}}
- {name: D, valueFrom: {fileKeyRef: {}}}
)",
                           R"(
volumes: [{name: scratch}, {name: claim, persistentVolumeClaim: {claimName: c}}]
)") ==
        R"(env[0].valueFrom.fileKeyRef.key: key "a=b" may contain only printable ASCII characters, and no '='
env[0].valueFrom.fileKeyRef.path: path "../x" can't contain ".."
env[3].valueFrom.fileKeyRef.key: fileKeyRef has no key | add key
env[3].valueFrom.fileKeyRef.volumeName: fileKeyRef has no volumeName | add volumeName
env[3].valueFrom.fileKeyRef.path: fileKeyRef has no path | add path
env[0].valueFrom.fileKeyRef.volumeName: the pod has no volume "none"
env[1].valueFrom.fileKeyRef.volumeName: volume "claim" is not an emptyDir
)");
}

TEST_CASE("whole ConfigMaps and Secrets") {
  CHECK(container_findings(R"(
envFrom: [{}, {configMapRef: {name: a}, secretRef: {name: b}}, {secretRef: {}}, {secretRef: {name: A}}, {configMapRef: {name: ends-with-}}, {prefix: a=, secretRef: {name: a}}]
)") ==
        R"(envFrom: an envFrom entry needs configMapRef or secretRef
envFrom: an envFrom entry can't have both configMapRef and secretRef | split it into two entries
envFrom[2].secretRef.name: secretRef has no name | add name
envFrom[3].secretRef.name: name of secretRef "A" may contain only lower-case letters, digits, '-' and '.', and each part between dots must begin and end with a letter or digit | write a
envFrom[5].prefix: prefix "a=" may contain only printable ASCII characters, and no '='
)");
}

}  // namespace
}  // namespace trainjobc::test::jobs::job_admission_env_test
