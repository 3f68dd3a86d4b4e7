// SPDX-License-Identifier: Apache-2.0

// Mounts and devices.
#include <string>

#include "support/job_admission.h"

namespace trainjobc::test::jobs::job_admission_mounts_test {
namespace {

TEST_CASE("mounts of missing volumes") {
  CHECK(container_findings(R"(
volumeMounts: [{name: dat, mountPath: /a}, {name: x, mountPath: /b}, {mountPath: /c}]
)",
                           R"(
volumes: [{name: data}]
)") ==
        R"(volumeMounts[0].name: the pod has no volume "dat" | did you mean "data"?
volumeMounts[1].name: the pod has no volume "x" | add a volume of that name to the pod's volumes
volumeMounts[2].name: volumeMounts[2] has no name | add name
)");
  CHECK(
      container_findings(R"(
volumeMounts: [{name: data, mountPath: /a}]
)",
                         R"(
volumes: [{name: data, nfs: {server: a, path: /b}, emptyDir: {}}]
)") ==
      R"(spec.replicatedJobs[0].template.spec.template.spec.volumes[0].nfs: volume "data" has two sources, emptyDir and nfs | keep one of them; a patch that changes the source keeps the old one too
volumeMounts[0].name: volume "data" can't be used because it is invalid itself | correct the volume first
)");
}

TEST_CASE("claim templates are volumes of the pods that mount them") {
  const auto job_set_of = [](std::string_view job) {
    return R"(metadata: {name: js}
spec:
  volumeClaimPolicies: [{templates: [{metadata: {name: cache}, spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}}}, {metadata: {name: data.v1}, spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}}}]}]
  replicatedJobs:
  - name: node
    template: {spec: {template: {spec: {restartPolicy: Never, )" +
           std::string(job) + "}}}}\n";
  };
  CHECK(job_set_findings(job_set_of(
            "containers: [{name: node, image: i, volumeMounts: [{name: cache, mountPath: /c}]}]")) == "");
  CHECK(job_set_findings(job_set_of(
            "containers: [{name: node, image: i}], "
            "initContainers: [{name: fetch, image: i, volumeMounts: [{name: cache, mountPath: /c}]}]")) ==
        "");
  CHECK(
      job_set_findings(
          job_set_of("volumes: [{name: own}], containers: [{name: node, image: i, volumeMounts: [{name: "
                     "data.v1, mountPath: /d}, {name: own, mountPath: /o}, {name: owm, mountPath: /p}]}]"),
          "spec.replicatedJobs[0].template.spec.template.spec.") ==
      R"(volumes[1].name: volume name "data.v1" may contain only lower-case letters, digits and '-', and must begin and end with a letter or digit | write data-v1
containers[0].volumeMounts[0].name: volume "data.v1" can't be used because it is invalid itself | correct the volume first
containers[0].volumeMounts[2].name: the pod has no volume "owm" | add a volume of that name to the pod's volumes
)");
  CHECK(
      job_set_findings(
          job_set_of("containers: [{name: node, image: i, volumeDevices: [{name: cache, devicePath: /c}]}]"),
          "spec.replicatedJobs[0].template.spec.template.spec.") ==
      R"(containers[0].volumeDevices[0].name: JobSet adds no volume "cache" to this pod: it adds a claim's volume only if a container mounts it | claims of volumeClaimPolicies can't be block devices; add a volume with its own persistentVolumeClaim
)");
}

TEST_CASE("paths of mounts") {
  CHECK(container_findings(R"(
volumeMounts: [{name: data, mountPath: /a}, {name: data, mountPath: /a}, {name: data}, {name: data, mountPath: "rel:ative"}]
)",
                           R"(
volumes: [{name: data}]
)") ==
        R"(volumeMounts[1].mountPath: two mounts at "/a" | move one of them to another path
volumeMounts[2].mountPath: volumeMounts[2] has no mountPath | add mountPath
)");
}

TEST_CASE("parts of volumes") {
  CHECK(container_findings(R"(
volumeMounts:
- {name: data, mountPath: /a, subPath: /ada}
- {name: data, mountPath: /b, subPath: v2/../../x}
- {name: data, mountPath: /c, subPath: x, subPathExpr: $(POD)}
- {name: data, mountPath: /d, subPathExpr: /$(POD)}
)",
                           R"(
volumes: [{name: data}]
)") ==
        R"yaml(volumeMounts.subPath: subPath "/ada" must be relative | remove the leading '/'
volumeMounts.subPath: subPath "v2/../../x" can't contain ".."
volumeMounts[2].subPathExpr: a mount can't have both subPath and subPathExpr | remove one of the two
volumeMounts.subPathExpr: subPathExpr "/$(POD)" must be relative | remove the leading '/'
)yaml");
}

TEST_CASE("propagation of mounts") {
  CHECK(
      container_findings(R"(
volumeMounts:
- {name: data, mountPath: /a, mountPropagation: Bidirectional}
- {name: data, mountPath: /b, mountPropagation: hostToContainer}
- {name: data, mountPath: /c, recursiveReadOnly: Enabled}
- {name: data, mountPath: /d, recursiveReadOnly: IfPossible, readOnly: true, mountPropagation: HostToContainer}
- {name: data, mountPath: /e, recursiveReadOnly: "yes"}
)",
                         R"(
volumes: [{name: data}]
)") ==
      R"(volumeMounts.mountPropagation: only privileged containers can propagate mounts in both directions | write HostToContainer
volumeMounts.mountPropagation: mountPropagation can't be "hostToContainer" | did you mean "HostToContainer"? (one of "None", "HostToContainer", "Bidirectional")
volumeMounts.recursiveReadOnly: recursiveReadOnly Enabled needs readOnly: true | add readOnly: true
volumeMounts.recursiveReadOnly: recursiveReadOnly IfPossible can't be used with mountPropagation HostToContainer | remove mountPropagation
volumeMounts.recursiveReadOnly: recursiveReadOnly can't be "yes" | one of "Disabled", "IfPossible", "Enabled"
)");
}

TEST_CASE("devices") {
  CHECK(container_findings(R"(
volumeDevices:
- {name: claim, devicePath: /dev/a}
- {name: claim, devicePath: /dev/a}
- {name: data, devicePath: /dev/b}
- {name: none, devicePath: /dev/../c}
- {name: own, devicePath: ""}
)",
                           R"(
volumes:
- {name: data}
- {name: claim, persistentVolumeClaim: {claimName: c}}
- {name: own, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}
)") ==
        R"(volumeDevices[1].name: volume "claim" is used as a device twice | remove one of the two
volumeDevices[1].devicePath: two devices at "/dev/a" | move one of them to another path
volumeDevices[2].name: volume "data" is not a claim, only a claim can be a block device
volumeDevices[3].name: the pod has no volume "none" | add a volume of that name to the pod's volumes
volumeDevices[3].devicePath: devicePath "/dev/../c" can't contain ".."
volumeDevices[4].devicePath: devicePath of volumeDevices[4] is empty | add devicePath
)");
}

TEST_CASE("a volume is mounted or a device") {
  CHECK(container_findings(R"(
volumeMounts: [{name: claim, mountPath: /a}, {name: data, mountPath: /dev/x}]
volumeDevices: [{name: claim, devicePath: /dev/y}, {name: own, devicePath: /dev/x}]
)",
                           R"(
volumes:
- {name: data}
- {name: claim, persistentVolumeClaim: {claimName: c}}
- {name: own, persistentVolumeClaim: {claimName: d}}
)") ==
        R"(volumeMounts[0].name: volume "claim" is both mounted and a device | remove one of the two
volumeMounts[1].mountPath: "/dev/x" is the path of a device too
volumeDevices[0].name: volume "claim" is both mounted and a device | remove one of the two
volumeDevices[1].devicePath: "/dev/x" is the path of a mount too
)");
}

}  // namespace
}  // namespace trainjobc::test::jobs::job_admission_mounts_test
