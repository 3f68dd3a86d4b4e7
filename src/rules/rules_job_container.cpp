// SPDX-License-Identifier: Apache-2.0

// Rules of the API server about the containers of a Job's pods.
#include <array>

#include "rules/rules_tables.h"

namespace trainjobc::rules::tables {
namespace {

using enum base::Severity;
using base::Stage;

constexpr std::array kJobContainerRules = std::to_array<Rule>({
    {"job/container", Stage::Job, Error, "A container of the pod is invalid",
     "A pod has at least one container, every container and init container has a unique name, and "
     "settings such as imagePullPolicy accept only certain values. If a patch misspells a container's "
     "name, it adds a new container without image or command. The API server refuses the pod; compare the "
     "names with those of the runtime."},
    {"job/env", Stage::Job, Error, "An env variable of a container is invalid",
     "A variable needs a name without \"=\", and either a value or one source in valueFrom, not both; the "
     "source must name an object and key, or a pod field that exists. The API server refuses the pod "
     "otherwise. A patch that changes value to valueFrom keeps the value: clear it.\n\n"
     "    env:\n      - name: HF_TOKEN\n        valueFrom:\n"
     "          secretKeyRef: {name: hf, key: token}"},
    {"job/gpu-limit", Stage::Job, Error, "A device or huge page is requested without an equal limit",
     "GPUs and other extended resources, and huge pages, can't be overcommitted, so the API server "
     "requires a limit equal to the request and refuses a request alone. A limit alone is enough: the "
     "request defaults to it.\n\n"
     "    resources:\n      limits:\n        nvidia.com/gpu: 4"},
    {"job/image", Stage::Job, Error, "A container has no image, or an invalid one",
     "Each container needs an image without spaces around it. The image comes from the runtime, or from "
     "spec.trainer.image for the container that trains; if neither sets one, the API server refuses the "
     "pod. Another cause is a patch that misspells a container's name and so adds a new container."},
    {"job/lifecycle", Stage::Job, Error, "A lifecycle hook is invalid",
     "A postStart or preStop hook has exactly one action: exec, httpGet, tcpSocket or sleep, with the "
     "fields that this action needs. Init containers have no hooks unless they are sidecars. The API "
     "server refuses the pod otherwise.\n\n"
     "    lifecycle:\n      preStop:\n        exec: {command: [/bin/sh, -c, sync]}"},
    {"job/port", Stage::Job, Error, "A port of a container is invalid",
     "Port numbers are 1 to 65535, a name is at most 15 lower-case letters, digits and dashes and is "
     "unique in its container, and the protocol is TCP, UDP or SCTP. With hostNetwork, a hostPort must "
     "equal the containerPort. The API server refuses the pod otherwise."},
    {"job/probe", Stage::Job, Error, "A probe of a container is invalid",
     "A probe has exactly one of exec, httpGet, tcpSocket and grpc, and its times and thresholds are not "
     "negative; the successThreshold of a liveness or startup probe is 1. Init containers have no probes "
     "unless they are sidecars. The API server refuses the pod otherwise."},
    {"job/resources", Stage::Job, Error, "A request or limit of a container is invalid",
     "A request can't be greater than its limit, amounts can't be negative, devices come in whole "
     "numbers, and a resource is cpu, memory, ephemeral-storage, hugepages-<size> or a name with a "
     "domain. The API server refuses the pod otherwise. When a job is merged into its runtime, the "
     "runtime's limit may be less than the job's request: set both in the job.\n\n"
     "    resourcesPerNode:\n      limits:\n        nvidia.com/gpu: 1"},
    {"job/volume-mount", Stage::Job, Error,
     "A container mounts a volume that does not exist, or mounts it incorrectly",
     "Each volumeMount names a volume of the pod, and no two mounts of a container have the same "
     "mountPath. If a name is misspelt, or only another replicatedJob has the volume, the API server "
     "refuses the pod. This applies to the runtime's volumes too, so add each volume that you mount. A "
     "claim template of volumeClaimPolicies is a volume of the pods that mount it (JobSet 0.11, Trainer "
     "2.2).\n\n"
     "    volumes:\n      - name: data\n        persistentVolumeClaim: {claimName: imagenet}"},
});

}  // namespace

std::span<const Rule> job_container() {
  return kJobContainerRules;
}

}  // namespace trainjobc::rules::tables
