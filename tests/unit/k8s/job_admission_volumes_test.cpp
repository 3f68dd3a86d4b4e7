// SPDX-License-Identifier: Apache-2.0

// Volumes and their sources.
#include <string>

#include "support/job_admission.h"

namespace trainjobc::test::jobs::job_admission_volumes_test {
namespace {

TEST_CASE("names of volumes") {
  CHECK(
      pod_findings(R"(
volumes: [{name: a_b}, {emptyDir: {}}, {name: a}, {name: a}]
)") ==
      R"(volumes[0].name: volume name "a_b" may contain only lower-case letters, digits and '-', and must begin and end with a letter or digit | write a-b
volumes[1].name: volumes[1] has no name | add name
volumes[3].name: two volumes are named "a" | rename one of them
)");
}

TEST_CASE("a volume has one source") {
  CHECK(
      volume_findings(R"(
emptyDir: {}
nfs: {server: a, path: /b}
)") ==
      R"(nfs: volume "data" has two sources, emptyDir and nfs | keep one of them; a patch that changes the source keeps the old one too
)");
  CHECK(
      volume_findings(R"(
hostPath: {path: /a}
cephfs: {monitors: [a]}
downwardAPI: {}
)") ==
      R"(cephFS: volume "data" has two sources, hostPath and cephfs | keep one of them; a patch that changes the source keeps the old one too
downwarAPI: volume "data" has two sources, hostPath and downwardAPI | keep one of them; a patch that changes the source keeps the old one too
)");
}

TEST_CASE("a volume without a source is an emptyDir") {
  CHECK(pod_findings(R"(
volumes: [{name: a}]
)") == "");
}

TEST_CASE("directories") {
  CHECK(volume_findings(R"(
emptyDir: {sizeLimit: "-1Gi"}
)") ==
        R"(emptyDir.sizeLimit: sizeLimit -1Gi is negative
)");
  CHECK(volume_findings("emptyDir: {sizeLimit: 0}\n") == "");
  CHECK(volume_findings(R"(
hostPath: {path: /a/../b, type: Folder}
)") ==
        R"(hostPath.path: path "/a/../b" can't contain ".."
hostPath.type: type can't be "Folder" | one of "DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice", "BlockDevice"
)");
  CHECK(volume_findings(R"(
hostPath: {path: ""}
)") ==
        R"(hostPath.path: path of hostPath is empty | add path
)");
  CHECK(volume_findings(R"(
nfs: {server: a, path: exports/home}
)") ==
        R"(nfs.path: path "exports/home" must be absolute | write /exports/home
)");
  CHECK(volume_findings(R"(
nfs: {}
)") ==
        R"(nfs.server: nfs needs server | add server
nfs.path: nfs needs path | add path
)");
  CHECK(volume_findings(R"(
gitRepo: {directory: ../x}
)") ==
        R"(gitRepo.repository: gitRepo needs repository | add repository
gitRepo.directory: directory "../x" can't contain ".."
)");
}

TEST_CASE("files of Secrets and ConfigMaps") {
  CHECK(volume_findings(R"(
secret: {defaultMode: 644}
)") ==
        R"(secret.secretName: secret needs secretName | add secretName
secret.defaultMode: defaultMode 644 is not a valid file mode: modes are 0000 to 0777 | write 0644 in YAML, 420 in JSON
)");
  CHECK(volume_findings(R"(
configMap: {name: c, items: [{key: a, path: /a}, {key: a, path: a/../b}, {key: a, path: ..data}, {key: "", path: ""}, {key: a, path: b, mode: -1}]}
)") ==
        R"(configMap.items[0].path: path "/a" must be relative | remove the leading '/'
configMap.items[1].path: path "a/../b" can't contain ".."
configMap.items[2].path: path "..data" can't begin with two dots
configMap.items[3].key: key of items[3] is empty | add key
configMap.items[3].path: path of items[3] is empty | add path
configMap.items[4].mode: mode -1 is not a valid file mode: modes are 0000 to 0777 | write 0644 in YAML, 420 in JSON
)");
  CHECK(volume_findings(R"(
configMap: {name: c, defaultMode: 511, items: [{key: a, path: b/c, mode: 0}]}
)") == "");
}

TEST_CASE("files about the pod") {
  CHECK(
      volume_findings(R"(
downwardAPI:
  items:
  - {path: a, fieldRef: {fieldPath: metadata.labels}}
  - {path: b, fieldRef: {fieldPath: spec.nodeName}}
  - {path: c, resourceFieldRef: {resource: limits.cpu}}
  - {path: d, resourceFieldRef: {resource: limits.cpu, containerName: node}}
  - {path: e}
  - {fieldRef: {fieldPath: metadata.name}, mode: 512}
)") ==
      R"(downwardAPI.fieldRef.fieldPath: fieldPath "spec.nodeName" is not supported here | one of metadata.name, metadata.namespace, metadata.labels, metadata.annotations, metadata.uid
downwardAPI.resourceFieldRef.containerName: resourceFieldRef has no containerName | add containerName
downwardAPI: a downwardAPI file needs fieldRef or resourceFieldRef
downwardAPI.path: a downwardAPI file needs a path | add path
downwardAPI.mode: mode 512 is not a valid file mode: modes are 0000 to 0777 | write 0512 in YAML, 330 in JSON
)");
}

TEST_CASE("a projected source of all kinds") {
  CHECK(
      volume_findings(R"(
projected:
  sources:
  - secret: {name: a}
    configMap: {name: b}
    downwardAPI: {items: [{path: d, fieldRef: {fieldPath: metadata.name}}]}
    serviceAccountToken: {path: t}
    clusterTrustBundle: {name: c, path: b}
    podCertificate: {signerName: example.com/a, keyType: ED25519, credentialBundlePath: p}
)") ==
      R"(projected.sources[0]: a projected source can have only one kind, not 4 | make each a separate element
)");
}

TEST_CASE("projected volumes") {
  CHECK(
      volume_findings(R"(
projected:
  defaultMode: 512
  sources:
  - {secret: {name: a, items: [{key: k, path: ca.crt}]}, configMap: {items: [{key: k, path: ca.crt}]}}
  - {serviceAccountToken: {path: token, expirationSeconds: 300}}
  - {serviceAccountToken: {expirationSeconds: 600}}
  - {downwardAPI: {items: [{path: /x, fieldRef: {fieldPath: metadata.name}}]}}
  - {}
)") ==
      R"(projected.defaultMode: defaultMode 512 is not a valid file mode: modes are 0000 to 0777 | write 0512 in YAML, 330 in JSON
projected.sources[0].configMap.name: configMap has no name | add name
projected: two sources write the file "ca.crt" | give one of them another path
projected.sources[0]: a projected source can have only one kind, not 2 | make each a separate element
projected.sources[1].serviceAccountToken.expirationSeconds: a token can't live 300 seconds, it must be from 600 to 4294967296
projected.path: a serviceAccountToken needs a path | add path
projected.sources[3].downwardAPI.path: path "/x" must be relative | remove the leading '/'
)");
}

TEST_CASE("claims made for a pod") {
  CHECK(
      volume_findings(R"(
ephemeral: {}
)") ==
      R"(ephemeral.volumeClaimTemplate: an ephemeral volume needs a volumeClaimTemplate | add volumeClaimTemplate
)");
  CHECK(
      volume_findings(R"(
ephemeral: {volumeClaimTemplate: {metadata: {name: x, labels: {a: b c}}, spec: {storageClassName: Fast, volumeMode: Raw}}}
)") ==
      R"(ephemeral.volumeClaimTemplate.metadata.labels: the value "b c" of label a may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit | write b-c
ephemeral.volumeClaimTemplate.metadata.name: a claim's template can't have name | only labels and annotations
ephemeral.volumeClaimTemplate.spec.accessModes: a claim needs at least one access mode | add accessModes: [ReadWriteOnce]
ephemeral.volumeClaimTemplate.spec.resources[storage]: a claim needs a request for storage | add resources: {requests: {storage: 10Gi}}
ephemeral.volumeClaimTemplate.spec.storageClassName: storageClassName "Fast" may contain only lower-case letters, digits, '-' and '.', and each part between dots must begin and end with a letter or digit | write fast
ephemeral.volumeClaimTemplate.spec.volumeMode: volumeMode can't be "Raw" | one of "Block", "Filesystem"
)");
  CHECK(
      volume_findings(R"(
ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOncePod, ReadWriteMany, Some], resources: {requests: {storage: 0}}}}}
)") ==
      R"(ephemeral.volumeClaimTemplate.spec.accessModes: "Some" is not an access mode | one of ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod
ephemeral.volumeClaimTemplate.spec.accessModes: ReadWriteOncePod can't be combined with other access modes | remove one of them
ephemeral.volumeClaimTemplate.spec.resources[storage]: a claim can't request 0 of storage
)");
  for (const char* modes :
       {"[ReadWriteOncePod]", "[ReadWriteOncePod, ReadWriteOncePod]", "[ReadWriteOnce, ReadWriteMany]"})
    CHECK_MESSAGE(volume_findings("ephemeral: {volumeClaimTemplate: {spec: {accessModes: " +
                                  std::string(modes) + ", resources: {requests: {storage: 1Gi}}}}}\n") == "",
                  modes);
}

TEST_CASE("claims of the JobSet") {
  const auto findings = [](const std::string& claim) {
    return job_set_findings(
        "metadata: {name: js}\nspec:\n  volumeClaimPolicies: [{templates: [{metadata: {name: data}, spec: "
        "{accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}}}]}, {templates: [" +
        claim +
        "]}]\n"
        "  replicatedJobs:\n"
        "  - name: node\n"
        "    template: {spec: {completions: 1, completionMode: Indexed, template: {spec: {restartPolicy: "
        "Never, "
        "containers: [{name: node, image: i}]}}}}\n");
  };
  CHECK(findings(
            "{metadata: {name: ok.dotted, labels: {a: b}}, spec: {accessModes: [ReadWriteOnce], resources: "
            "{requests: {storage: 1Gi}}}}") == "");
  CHECK(
      findings("{metadata: {name: a, labels: {team: a b}}, spec: {}}") ==
      R"(spec.volumeClaimPolicies[1].templates[0].metadata.labels: the value "a b" of label team may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit | write a-b
spec.volumeClaimPolicies[1].templates[0].spec.accessModes: a claim needs at least one access mode | add accessModes: [ReadWriteOnce]
spec.volumeClaimPolicies[1].templates[0].spec.resources[storage]: a claim needs a request for storage | add resources: {requests: {storage: 10Gi}}
)");
  CHECK(
      findings("{metadata: {name: a}, spec: {accessModes: [], resources: {requests: {cpu: 1}}}}") ==
      R"(spec.volumeClaimPolicies[1].templates[0].spec.accessModes: a claim needs at least one access mode | add accessModes: [ReadWriteOnce]
spec.volumeClaimPolicies[1].templates[0].spec.resources[storage]: a claim needs a request for storage | add resources: {requests: {storage: 10Gi}}
)");
  CHECK(
      findings(
          "{metadata: {name: a, annotations: {-: x}}, spec: {accessModes: [ReadOnce], storageClassName: A_B, "
          "resources: {requests: {storage: 0}}}}") ==
      R"(spec.volumeClaimPolicies[1].templates[0].metadata.annotations: annotation key "-" may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit
spec.volumeClaimPolicies[1].templates[0].spec.accessModes: "ReadOnce" is not an access mode | one of ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod
spec.volumeClaimPolicies[1].templates[0].spec.resources[storage]: a claim can't request 0 of storage
spec.volumeClaimPolicies[1].templates[0].spec.storageClassName: storageClassName "A_B" may contain only lower-case letters, digits, '-' and '.', and each part between dots must begin and end with a letter or digit | write a-b
)");
}

TEST_CASE("data of claims made for a pod") {
  CHECK(
      volume_findings(R"(
ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, dataSource: {kind: VolumeSnapshot, name: a}, dataSourceRef: {kind: VolumeSnapshot, name: b, apiGroup: g.io}}}}
)") ==
      R"(ephemeral.volumeClaimTemplate.spec.dataSource: without an apiGroup, dataSource can only be a PersistentVolumeClaim | add apiGroup
ephemeral.volumeClaimTemplate.spec: dataSource and dataSourceRef must be the same | remove one of the two
)");
  CHECK(
      volume_findings(R"(
ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, dataSource: {kind: PersistentVolumeClaim, name: a}, dataSourceRef: {kind: PersistentVolumeClaim, name: a, namespace: N}}}}
)") ==
      R"(ephemeral.volumeClaimTemplate.spec: dataSource can't be used with dataSourceRef.namespace | remove dataSource
)");
}

TEST_CASE("CSI volumes") {
  CHECK(
      volume_findings(R"(
csi: {driver: gcs_fuse.csi.storage.gke.io}
)") ==
      R"(csi.driver: CSI driver "gcs_fuse.csi.storage.gke.io" may contain only lower-case letters, digits, '-' and '.', and each part between dots must begin and end with a letter or digit
)");
  CHECK(volume_findings(R"(
csi: {driver: GCSfuse.csi.storage.gke.io}
)") == "");
  CHECK(volume_findings(R"(
csi: {nodePublishSecretRef: {}}
)") ==
        R"(csi.driver: csi has no driver | add driver
csi.nodePublishSecretRef.name: nodePublishSecretRef has no name | add name
)");
  CHECK(
      volume_findings(R"(
csi: {driver: a.b, nodePublishSecretRef: {name: A_b}}
)") ==
      R"(csi.name: name of nodePublishSecretRef "A_b" may contain only lower-case letters, digits, '-' and '.', and each part between dots must begin and end with a letter or digit | write a-b
)");
}

TEST_CASE("disks of clouds") {
  CHECK(volume_findings(R"(
awsElasticBlockStore: {partition: 256}
)") ==
        R"(awsElasticBlockStore.volumeID: awsElasticBlockStore needs volumeID | add volumeID
awsElasticBlockStore.partition: partition must be from 0 to 255, not 256
)");
  CHECK(volume_findings(R"(
gcePersistentDisk: {partition: -1}
)") ==
        R"(persistentDisk.pdName: persistentDisk needs pdName | add pdName
persistentDisk.partition: partition must be from 0 to 255, not -1
)");
  CHECK(volume_findings(R"(
azureDisk: {diskName: a, diskURI: x, cachingMode: Some}
)") ==
        R"(azureDisk.cachingMode: cachingMode can't be "Some" | one of "None", "ReadOnly", "ReadWrite"
azureDisk.diskURI: diskURI of a Shared disk must begin with https://
)");
  CHECK(volume_findings(R"(
azureDisk: {diskName: a, diskURI: https://x, kind: Managed}
)") ==
        R"(azureDisk.diskURI: diskURI of a Managed disk must begin with /subscriptions/
)");
  CHECK(volume_findings(R"(
azureFile: {secretName: a}
)") ==
        R"(azureFile.shareName: azureFile needs shareName | add shareName
)");
  CHECK(volume_findings(R"(
cinder: {volumeID: a, secretRef: {}}
)") ==
        R"(cinder.secretRef.name: secretRef has no name | add name
)");
  CHECK(volume_findings(R"(
vsphereVolume: {}
)") ==
        R"(vsphereVolume.volumePath: vsphereVolume needs volumePath | add volumePath
)");
  CHECK(volume_findings(R"(
photonPersistentDisk: {}
)") ==
        R"(photonPersistentDisk.pdID: photonPersistentDisk needs pdID | add pdID
)");
}

TEST_CASE("iSCSI and Fibre Channel") {
  CHECK(volume_findings(R"(
iscsi: {targetPortal: "1.2.3.4:3260", iqn: iqn.2001-04.com.example:storage, lun: 256, chapAuthSession: true}
)") ==
        R"(iscsi.lun: lun must be from 0 to 255, not 256
iscsi.secretRef: CHAP authentication needs a secretRef | add secretRef
)");
  CHECK(volume_findings(R"(
iscsi: {iqn: foo, initiatorName: iqn.x}
)") ==
        R"(iscsi.targetPortal: iscsi needs targetPortal | add targetPortal
iscsi.iqn: iqn "foo" is not an iSCSI name | write it as iqn.2001-04.com.example:storage
iscsi.initiatorname: initiatorname "iqn.x" is not an iSCSI name | write it as iqn.2001-04.com.example:storage
)");
  CHECK(
      volume_findings(R"(
iscsi: {targetPortal: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx, iqn: eui.0123456789abcdef, initiatorName: naa.0123456789abcdef0123456789abcdef}
)") ==
      R"(name: with an initiatorName, the volume's name and the targetPortal can have at most 63 characters together
)");
  CHECK(volume_findings(R"(
fc: {}
)") ==
        R"(fc.targetWWNs: an fc volume needs targetWWNs or wwids
)");
  CHECK(volume_findings(R"(
fc: {targetWWNs: [a], wwids: [b]}
)") ==
        R"(fc.targetWWNs: an fc volume can't have both targetWWNs and wwids | remove one of the two
fc.lun: targetWWNs need a lun | add lun
)");
  CHECK(volume_findings(R"(
fc: {targetWWNs: [a], lun: 256}
)") ==
        R"(fc.lun: lun must be from 0 to 255, not 256
)");
}

TEST_CASE("other network storage") {
  CHECK(volume_findings(R"(
glusterfs: {}
)") ==
        R"(glusterfs.endpoints: glusterfs needs endpoints | add endpoints
glusterfs.path: glusterfs needs path | add path
)");
  CHECK(volume_findings(R"(
rbd: {image: a}
)") ==
        R"(rbd.monitors: rbd needs monitors | add monitors
)");
  CHECK(volume_findings(R"(
cephfs: {}
)") ==
        R"(cephfs.monitors: cephfs needs monitors | add monitors
)");
  CHECK(volume_findings(R"(
flocker: {}
)") ==
        R"(flocker: a flocker volume needs a datasetName or a datasetUUID
)");
  CHECK(volume_findings(R"(
flocker: {datasetName: a/b, datasetUUID: c}
)") ==
        R"(flocker: a flocker volume can't have both datasetName and datasetUUID | remove one of the two
flocker.datasetName: datasetName "a/b" can't contain a '/'
)");
  CHECK(
      volume_findings(R"(
quobyte: {registry: a, volume: v}
)") ==
      R"(quobyte.registry: registry "a" is not a host:port | write host:port, and separate several with commas
)");
  CHECK(volume_findings(R"(
quobyte: {registry: "a:1,[::1]:2", volume: v}
)") == "");
  CHECK(
      volume_findings(R"(
flexVolume: {driver: a, options: {x.kubernetes.io/y: z, fsType: ext4}}
)") ==
      R"(flexVolume.options[x.kubernetes.io/y]: option "x.kubernetes.io/y" is in a domain that is reserved for Kubernetes
)");
  CHECK(volume_findings(R"(
scaleIO: {gateway: a}
)") ==
        R"(scaleIO.system: scaleIO needs system | add system
scaleIO.volumeName: scaleIO needs volumeName | add volumeName
)");
  CHECK(
      volume_findings(R"(
storageos: {volumeName: A, secretRef: {}}
)") ==
      R"(storageos.volumeName: volumeName "A" may contain only lower-case letters, digits and '-', and must begin and end with a letter or digit | write a
storageos.secretRef.name: secretRef has no name | add name
)");
  CHECK(volume_findings(R"(
portworxVolume: {}
)") ==
        R"(portworxVolume.volumeID: portworxVolume needs volumeID | add volumeID
)");
  CHECK(volume_findings(R"(
persistentVolumeClaim: {}
)") ==
        R"(persistentVolumeClaim.claimName: persistentVolumeClaim needs claimName | add claimName
)");
}

TEST_CASE("images as volumes") {
  CHECK(volume_findings(R"(
image: {reference: "", pullPolicy: Sometimes}
)") ==
        R"(image.reference: reference of image is empty | add reference
image.pullPolicy: pullPolicy can't be "Sometimes" | one of "Always", "IfNotPresent", "Never"
)");
}

}  // namespace
}  // namespace trainjobc::test::jobs::job_admission_volumes_test
