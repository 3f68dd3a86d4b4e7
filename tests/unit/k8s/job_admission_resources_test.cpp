// SPDX-License-Identifier: Apache-2.0

// Requests and limits.
#include <string>

#include "support/job_admission.h"

namespace trainjobc::test::jobs::job_admission_resources_test {
namespace {

TEST_CASE("a GPU request without a limit") {
  CHECK(
      container_findings(R"(
resources: {requests: {nvidia.com/gpu: 4}}
)") ==
      R"(resources.limits: nvidia.com/gpu is requested without a limit | extended resources need an equal limit; add limits: {nvidia.com/gpu: 4}
)");
}

TEST_CASE("extended resources need an equal limit") {
  CHECK(
      container_findings(R"(
resources: {requests: {nvidia.com/gpu: 4}, limits: {nvidia.com/gpu: 8}}
)") ==
      R"(resources.requests: the nvidia.com/gpu request of 4 must equal the limit of 8 | write the same amount, or leave nvidia.com/gpu out of requests
)");
  CHECK(container_findings(R"(
resources: {limits: {nvidia.com/gpu: 8}}
)") == "");
  CHECK(container_findings(R"(
resources: {requests: {nvidia.com/gpu: "8"}, limits: {nvidia.com/gpu: 8000m}}
)") == "");
}

TEST_CASE("a request is at most the limit") {
  CHECK(
      container_findings(R"(
resources: {requests: {cpu: 2, memory: 64Gi}, limits: {cpu: 1500m, memory: 65536Mi}}
)") ==
      R"(resources.requests: the cpu request of 2 is more than the limit of 1500m | lower the request, or raise the limit
)");
}

TEST_CASE("amounts are stored in thousandths") {
  CHECK(
      container_findings(R"(
resources: {requests: {cpu: 1001u}, limits: {cpu: 1m}}
)") ==
      R"(resources.requests: the cpu request of 2m is more than the limit of 1m | lower the request, or raise the limit
)");
  CHECK(container_findings(R"(
resources: {requests: {cpu: 1001u}, limits: {cpu: 2m}}
)") == "");
}

TEST_CASE("names of resources") {
  CHECK(
      container_findings(R"(
resources: {limits: {memoryx: 1, pods: 1, gpu: 1, a b: 1, kubernetes.io/x: 1, requests.nvidia.com/gpu: 1, ephemeral-storage: 1Gi}}
)") ==
      R"(resources.limits[memoryx]: resource "memoryx" is not one that a container can request | did you mean "memory"?
resources.limits[pods]: resource "pods" is not one that a container can request | extended resources are named vendor.com/device
resources.limits[gpu]: resource "gpu" is not one that a container can request | write the vendor's name: nvidia.com/gpu
resources.limits[a b]: resource "a b" may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit | extended resources are named vendor.com/device
resources.limits[requests.nvidia.com/gpu]: resource "requests.nvidia.com/gpu" is not a name for an extended resource | extended resources are named vendor.com/device
)");
}

TEST_CASE("amounts") {
  CHECK(container_findings(R"(
resources: {limits: {memory: "-3", nvidia.com/gpu: "1.5"}}
)") ==
        R"(resources.limits[memory]: memory "-3" is negative
resources.limits[nvidia.com/gpu]: nvidia.com/gpu "1.5" is not a whole number | extended resources must be whole numbers
)");
  CHECK(container_findings(R"(
resources: {limits: {cpu: "1.5", nvidia.com/gpu: "2000m"}}
)") == "");
}

TEST_CASE("huge pages") {
  CHECK(container_findings(R"(
resources: {limits: {hugepages-2Mi: 3Mi, cpu: 1}}
)") ==
        R"(resources.limits[hugepages-2Mi]: hugepages-2Mi "3Mi" is not a whole number of pages
)");
  CHECK(container_findings(R"(
resources: {limits: {hugepages-2Mi: 4Mi}}
)") ==
        R"(resources: huge pages need cpu or memory as well | add cpu or memory
)");
  CHECK(
      container_findings(R"(
resources: {requests: {hugepages-2Mi: 4Mi, memory: 1Gi}}
)") ==
      R"(resources.limits: hugepages-2Mi is requested without a limit | huge pages need an equal limit; add limits: {hugepages-2Mi: 4Mi}
)");
  CHECK(container_findings(R"(
resources: {limits: {hugepages-big: 4Mi, memory: 1Gi}}
)") ==
        R"(resources.limits[hugepages-big]: hugepages-big "4Mi" is not a whole number of pages
)");
}

TEST_CASE("claims of containers") {
  CHECK(container_findings(R"(
resources: {claims: [{name: gpu}, {name: gpus}, {name: gpus}, {}, {name: nics, request: A_b}]}
)",
                           R"(
resourceClaims: [{name: gpus, resourceClaimName: a}, {name: nics, resourceClaimTemplateName: b}]
)") ==
        R"(resources.claims[0]: the pod has no resource claim "gpu" | did you mean "gpus"?
resources.claims[2]: claim "gpus" is listed twice | remove one of the two
resources.claims[3]: a claim needs the name of one of the pod's resourceClaims
resources.claims[4].request: request "A_b" may contain only lower-case letters, digits and '-', and must begin and end with a letter or digit | write a-b
)");
}

TEST_CASE("claims of pods") {
  CHECK(
      pod_findings(R"(
resourceClaims: [{name: a_b, resourceClaimName: x}, {name: b}, {name: c, resourceClaimName: x, resourceClaimTemplateName: y}, {name: c, resourceClaimName: X}, {resourceClaimName: x}]
)") ==
      R"(resourceClaims[0].name: claim name "a_b" may contain only lower-case letters, digits and '-', and must begin and end with a letter or digit | write a-b
resourceClaims[1]: a claim needs a resourceClaimName or a resourceClaimTemplateName
resourceClaims[2]: a claim can't have both resourceClaimName and resourceClaimTemplateName | remove one of the two
resourceClaims[3].name: two claims are named "c" | rename one of them
resourceClaims[3].resourceClaimName: resourceClaimName "X" may contain only lower-case letters, digits, '-' and '.', and each part between dots must begin and end with a letter or digit | write x
resourceClaims[4].name: resourceClaims[4] has no name | add name
)");
}

TEST_CASE("pod-level resources") {
  CHECK(
      pod_findings(R"(
resources: {requests: {cpu: 2, nvidia.com/gpu: 1}, limits: {cpu: 1, nvidia.com/gpu: 1}, claims: [{name: x}]}
)") ==
      R"(resources.limits[nvidia.com/gpu]: resource "nvidia.com/gpu" can't be set at the pod level | only cpu, memory and hugepages-<size>
resources.requests[nvidia.com/gpu]: resource "nvidia.com/gpu" can't be set at the pod level | only cpu, memory and hugepages-<size>
resources.requests: the cpu request of 2 is more than the limit of 1 | lower the request, or raise the limit
resources.claims: pod-level resources can't have claims | set them on a container
resources.claims[0]: the pod has no resource claim "x" | add it to the pod's resourceClaims
)");
}

TEST_CASE("pod-level resources cover the containers") {
  CHECK(pod_findings(R"(
resources: {requests: {cpu: 6, memory: 1Gi}, limits: {cpu: 6, hugepages-2Mi: 2Mi}}
containers:
- {name: a, image: i, resources: {requests: {cpu: 4}, limits: {cpu: 7, hugepages-2Mi: 4Mi}}}
- {name: b, image: i, resources: {requests: {cpu: 1}}}
initContainers:
- {name: c, image: i, restartPolicy: Always, resources: {requests: {cpu: 1}}}
- {name: d, image: i, resources: {requests: {cpu: 6}}}
)") ==
        R"(resources.requests[cpu]: the pod's request of 6 cpu is less than the 7 of its containers | write 7
resources.limits[hugepages-2Mi]: the pod's limit of 2Mi hugepages-2Mi is less than the 4Mi of its containers | write 4Mi
resources.containers[0][cpu].limits: the container's limit of 7 cpu is more than the pod's of 6 | lower it, or raise the pod's
resources.containers[0][hugepages-2Mi].limits: the container's limit of 4Mi hugepages-2Mi is more than the pod's of 2Mi | lower it, or raise the pod's
)");
}

TEST_CASE(
    "the sum that a pod needs is written in the units of an init container, before those of its sidecars") {
  CHECK(
      pod_findings(R"(
resources: {requests: {memory: 100Mi}}
containers: [{name: a, image: i}]
initContainers:
- {name: b, image: i, restartPolicy: Always, resources: {requests: {memory: 1Gi}}}
- {name: c, image: i, resources: {requests: {memory: 3072M}}}
)") ==
      R"(resources.requests[memory]: the pod's request of 100Mi memory is less than the 4145741824 of its containers | write 4145741824
)");
}

TEST_CASE("a Windows pod has no pod-level resources") {
  CHECK(pod_findings(R"(
os: {name: windows}
resources: {limits: {cpu: 1}}
)") ==
        R"(resources: a Windows pod can't have pod-level resources | set them on its containers
)");
}

TEST_CASE("overhead") {
  CHECK(pod_findings(R"(
overhead: {cpu: "-1", pods: 1, memory: 10Mi}
)") ==
        R"(overhead.limits[cpu]: cpu "-1" is negative
overhead.limits[pods]: resource "pods" is not one that a container can request | extended resources are named vendor.com/device
)");
}

}  // namespace
}  // namespace trainjobc::test::jobs::job_admission_resources_test
