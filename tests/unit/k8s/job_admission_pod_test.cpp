// SPDX-License-Identifier: Apache-2.0

// DNS, the host, users and operating systems.
#include <string>

#include "support/job_admission.h"

namespace trainjobc::test::jobs::job_admission_pod_test {
namespace {

TEST_CASE("DNS policies") {
  CHECK(
      pod_findings(R"(
dnsPolicy: Whatever
)") ==
      R"(dnsPolicy: dnsPolicy can't be "Whatever" | one of "ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"
)");
  CHECK(
      pod_findings(R"(
dnsPolicy: None
)") ==
      R"(dnsConfig: dnsPolicy None needs a nameserver in dnsConfig | add dnsConfig: {nameservers: [10.0.0.10]}
)");
  CHECK(
      pod_findings(R"(
dnsPolicy: None
dnsConfig: {searches: [a]}
)") ==
      R"(dnsConfig.nameservers: dnsPolicy None needs a nameserver in dnsConfig | add dnsConfig: {nameservers: [10.0.0.10]}
)");
  CHECK(pod_findings(R"(
dnsPolicy: None
dnsConfig: {nameservers: [10.0.0.1]}
)") == "");
}

TEST_CASE("DNS settings") {
  CHECK(pod_findings(R"(
dnsConfig: {nameservers: [010.0.0.1, "::ffff:1.2.3.4", "2001:db8::1", dns], searches: [A.b, _tcp.a., ., ""], options: [{name: ndots}, {}]}
)") ==
        R"(dnsConfig.nameservers: 4 nameservers are too many, at most 3 are allowed
dnsConfig.nameservers[0]: nameservers[0] "010.0.0.1" is not an IP address | write it as 10.9.8.7 or 2001:db8::1
dnsConfig.nameservers[1]: nameservers[1] "::ffff:1.2.3.4" is an IPv4-mapped IPv6 address | write it as 10.9.8.7 or 2001:db8::1
dnsConfig.nameservers[3]: nameservers[3] "dns" is not an IP address | write it as 10.9.8.7 or 2001:db8::1
dnsConfig.searches[0]: search domain "A.b" may contain only lower-case letters, digits, '-', '_' and '.', and each part between dots must end with a letter or digit | write a.b
dnsConfig.searches[3]: search domain is empty
dnsConfig.options[1]: a DNS option needs a name
)");
}

TEST_CASE("own and other host names") {
  CHECK(
      pod_findings(R"(
hostname: a.b
hostAliases: [{ip: 1.2.3, hostnames: [A]}]
subdomain: A
)") ==
      R"(hostname: hostname "a.b" may contain only lower-case letters, digits and '-', and must begin and end with a letter or digit | write a-b
hostAliases[0].ip: ip "1.2.3" is not an IP address | write it as 10.9.8.7 or 2001:db8::1
hostAliases[0].hostnames[0]: host name "A" may contain only lower-case letters, digits, '-' and '.', and each part between dots must begin and end with a letter or digit | write a
subdomain: subdomain "A" may contain only lower-case letters, digits and '-', and must begin and end with a letter or digit | write a
)");
  CHECK(
      pod_findings(R"(
hostnameOverride: A
)") ==
      R"(hostnameOverride: hostnameOverride "A" may contain only lower-case letters, digits, '-' and '.', and each part between dots must begin and end with a letter or digit | write a
)");
  CHECK(pod_findings(R"(
hostnameOverride: a
setHostnameAsFQDN: true
)") ==
        R"(hostnameOverride: hostnameOverride can't be used with setHostnameAsFQDN: true | remove one of them
)");
  CHECK(pod_findings(R"(
hostnameOverride: a
hostNetwork: true
)") ==
        R"(hostnameOverride: a pod with hostNetwork has the host's name | remove hostnameOverride
)");
  CHECK(pod_findings(R"(
hostnameOverride: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
)") ==
        R"(hostnameOverride: hostnameOverride is 65 characters long, at most 64 are allowed
)");
}

TEST_CASE("the JobSet controller sets the subdomain") {
  CHECK(job_set_findings(R"(metadata: {name: js}
spec:
  network: {enableDNSHostnames: true}
  replicatedJobs:
  - name: node
    template: {spec: {template: {spec: {restartPolicy: Never, subdomain: Not_A_Name, containers: [{name: node, image: i}]}}}}
)") == "");
}

TEST_CASE("ports on the host's network") {
  CHECK(
      pod_findings(R"(
hostNetwork: true
containers: [{name: node, image: i, ports: [{containerPort: 29400, hostPort: 39400}, {containerPort: 1}, {containerPort: 2, hostPort: 2}]}]
)") ==
      R"(containers[0].ports[0].hostPort: with hostNetwork, hostPort 39400 must equal containerPort 29400 | leave hostPort out
)");
}

TEST_CASE("user namespaces") {
  CHECK(
      pod_findings(R"(
hostUsers: false
hostPID: true
hostIPC: true
hostNetwork: true
shareProcessNamespace: true
volumes: [{name: c, persistentVolumeClaim: {claimName: c}}]
containers: [{name: node, image: i, volumeDevices: [{name: c, devicePath: /dev/a}], securityContext: {procMount: Unmasked}}]
)") ==
      R"(securityContext.shareProcessNamespace: shareProcessNamespace and hostPID can't both be true | remove one of the two
hostNetwork: hostNetwork needs hostUsers: true | remove hostNetwork or hostUsers: false
HostPID: hostPID needs hostUsers: true | remove hostPID or hostUsers: false
HostIPC: hostIPC needs hostUsers: true | remove hostIPC or hostUsers: false
containers[0].volumeDevices: volumeDevices need hostUsers: true | remove hostUsers: false
)");
}

TEST_CASE("identities of pods") {
  CHECK(pod_findings(R"(
securityContext: {runAsUser: -1, runAsGroup: 2147483648, fsGroup: -1, supplementalGroups: [1, -1], fsGroupChangePolicy: Never, supplementalGroupsPolicy: Some, seLinuxChangePolicy: MountOption}
)") ==
        R"(securityContext.fsGroup: fsGroup must be from 0 to 2147483647, not -1
securityContext.runAsUser: runAsUser must be from 0 to 2147483647, not -1
securityContext.runAsGroup: runAsGroup must be from 0 to 2147483647, not 2147483648
securityContext.supplementalGroups[1]: supplementalGroups[1] must be from 0 to 2147483647, not -1
securityContext.fsGroupChangePolicy: fsGroupChangePolicy can't be "Never" | one of "OnRootMismatch", "Always"
securityContext.supplementalGroupsPolicy: supplementalGroupsPolicy can't be "Some" | one of "Merge", "Strict"
securityContext.seLinuxChangePolicy: Kubernetes 1.36 does not accept "MountOption" for seLinuxChangePolicy | only "Recursive"; Kubernetes 1.37 accepts it: name the cluster's version with --kubernetes-version
)");
}

TEST_CASE("sysctls") {
  CHECK(
      pod_findings(R"(
hostNetwork: true
securityContext: {sysctls: [{name: net.core.somaxconn, value: "1"}, {name: kernel.SHM, value: "1"}, {name: kernel/shmmax, value: "1"}, {name: kernel/shmmax, value: "2"}, {value: "1"}]}
)") ==
      R"(securityContext.sysctls[0].name: sysctl net.core.somaxconn can't be set with hostNetwork | remove the sysctl, or hostNetwork
securityContext.sysctls[1].name: sysctl "kernel.SHM" may contain only lower-case letters, digits, '-', '_', and '.' or '/' between its parts | write kernel.shm
securityContext.sysctls[3].name: sysctl kernel/shmmax is set twice | remove one of the two
securityContext.sysctls[4].name: sysctls[4] has no name | add name
)");
  CHECK(
      pod_findings(R"(
hostIPC: true
securityContext: {sysctls: [{name: kernel/shmmax, value: "1"}, {name: fs.mqueue.x, value: "1"}]}
)") ==
      R"(securityContext.sysctls[0].name: sysctl kernel/shmmax can't be set with hostIPC | remove the sysctl, or hostIPC
securityContext.sysctls[1].name: sysctl fs.mqueue.x can't be set with hostIPC | remove the sysctl, or hostIPC
)");
}

TEST_CASE("capabilities and privileges of containers") {
  CHECK(
      container_findings(R"(
securityContext: {privileged: true, runAsUser: -1, runAsGroup: -1, procMount: Some}
)") ==
      R"(securityContext.privileged: privileged containers are not allowed unless the cluster allows them | remove privileged, or start kube-apiserver with --allow-privileged
securityContext.runAsUser: runAsUser must be from 0 to 2147483647, not -1
securityContext.runAsGroup: runAsGroup must be from 0 to 2147483647, not -1
securityContext.procMount: procMount can't be "Some" | one of "Default", "Unmasked"
)");
  CHECK(
      container_findings(R"(
securityContext: {allowPrivilegeEscalation: false, capabilities: {add: [CAP_SYS_ADMIN, SYS_ADMIN]}}
)") ==
      R"(securityContext: capability CAP_SYS_ADMIN can't be added with allowPrivilegeEscalation: false | remove the capability, or allowPrivilegeEscalation
)");
  CHECK(
      container_findings(R"(
securityContext: {allowPrivilegeEscalation: false, privileged: true}
)") ==
      R"(securityContext.privileged: privileged containers are not allowed unless the cluster allows them | remove privileged, or start kube-apiserver with --allow-privileged
securityContext: a privileged container can't have allowPrivilegeEscalation: false | remove allowPrivilegeEscalation, or privileged
)");
  CHECK(
      container_findings(R"(
securityContext: {procMount: Unmasked}
)") ==
      R"(securityContext.procMount: procMount Unmasked needs a user namespace | add hostUsers: false to the pod spec
)");
  CHECK(container_findings(R"(
securityContext: {procMount: Unmasked}
)",
                           R"(
hostUsers: false
)") == "");
}

TEST_CASE("profiles") {
  CHECK(
      container_findings(R"(
securityContext: {seccompProfile: {}, appArmorProfile: {type: Some}}
)") ==
      R"(securityContext.seccompProfile.type: seccompProfile has no type | one of "Localhost", "RuntimeDefault", "Unconfined"
securityContext.appArmorProfile.type: type can't be "Some" | one of "Localhost", "RuntimeDefault", "Unconfined"
)");
  CHECK(
      container_findings(R"(
securityContext: {seccompProfile: {type: Localhost, localhostProfile: /a}, appArmorProfile: {type: Localhost, localhostProfile: " a"}}
)") ==
      R"(securityContext.seccompProfile.localhostProfile: localhostProfile "/a" must be relative | remove the leading '/'
securityContext.appArmorProfile.localhostProfile: localhostProfile begins or ends with a space | remove the space
)");
  CHECK(
      container_findings(R"(
securityContext: {seccompProfile: {type: Localhost}, appArmorProfile: {type: Unconfined, localhostProfile: a}}
)") ==
      R"(securityContext.seccompProfile.localhostProfile: a seccomp profile of type Localhost needs a localhostProfile | name the profile's file on the node
securityContext.appArmorProfile.localhostProfile: localhostProfile needs type: Localhost | remove localhostProfile, or write type: Localhost
)");
  CHECK(container_findings(R"(
securityContext: {seccompProfile: {type: Localhost, localhostProfile: a/b.json}, appArmorProfile: {type: RuntimeDefault}}
)") == "");
}

TEST_CASE("operating systems") {
  CHECK(pod_findings(R"(
os: {name: mac}
)") ==
        R"(os: a pod's os can't be "mac" | one of "linux", "windows"
)");
  CHECK(pod_findings(R"(
os: {}
)") ==
        R"(os.name: os has no name | add name
)");
  CHECK(pod_findings(R"(
os: {name: linux}
securityContext: {windowsOptions: {}}
containers: [{name: node, image: i, securityContext: {windowsOptions: {}}}]
)") ==
        R"(securityContext.windowsOptions: a Linux pod can't have windowsOptions | remove windowsOptions
containers[0].securityContext.windowsOptions: a Linux pod can't have windowsOptions | remove windowsOptions
)");
  CHECK(pod_findings(R"(
os: {name: windows}
hostPID: true
hostUsers: true
securityContext: {fsGroup: 1, sysctls: [{name: a, value: b}]}
containers: [{name: node, image: i, securityContext: {runAsUser: 1, capabilities: {}}}]
)") ==
        R"(securityContext.fsGroup: a Windows pod can't have fsGroup | remove fsGroup
securityContext.sysctls: a Windows pod can't have sysctls | remove sysctls
hostPID: a Windows pod can't have hostPID | remove hostPID
hostUsers: a Windows pod can't have hostUsers | remove hostUsers
containers[0].securityContext.capabilities: a Windows pod can't have capabilities | remove capabilities
containers[0].securityContext.runAsUser: a Windows pod can't have runAsUser | remove runAsUser
)");
}

TEST_CASE("Windows options") {
  CHECK(
      container_findings(R"(
securityContext: {windowsOptions: {gmsaCredentialSpecName: A, gmsaCredentialSpec: "", runAsUserName: a\b\c}}
)") ==
      R"(securityContext.windowsOptions.gmsaCredentialSpecName: gmsaCredentialSpecName "A" may contain only lower-case letters, digits, '-' and '.', and each part between dots must begin and end with a letter or digit | write a
securityContext.windowsOptions.gmsaCredentialSpec: gmsaCredentialSpec is empty | remove it
securityContext.windowsOptions.runAsUserName: runAsUserName "a\b\c" has more than one backslash
)");
  CHECK(
      container_findings(R"(
securityContext: {windowsOptions: {runAsUserName: "D:\\x"}}
)") ==
      R"(securityContext.windowsOptions.runAsUserName: runAsUserName "D:\x" has a domain that is neither a NetBIOS nor a DNS name
)");
  CHECK(container_findings(R"(
securityContext: {windowsOptions: {runAsUserName: "a\x7F"}}
)") ==
        R"(securityContext.windowsOptions.runAsUserName: runAsUserName "a\x7f" contains a control character
)");
  CHECK(pod_findings(R"(
securityContext: {windowsOptions: {runAsUserName: "a\tb"}}
)") ==
        R"(securityContext.windowsOptions.runAsUserName: runAsUserName "a\x09b" contains a control character
)");
  CHECK(
      pod_findings(R"(
securityContext: {windowsOptions: {runAsUserName: "a@b"}}
)") ==
      R"(securityContext.windowsOptions.runAsUserName: runAsUserName "a@b" has a character that is not allowed in a Windows user name
)");
  const auto user = [](const std::string& text) {
    return container_findings("securityContext: {windowsOptions: {runAsUserName: '" + text + "'}}\n");
  };
  const auto credentials = [](size_t size) {
    return container_findings("securityContext: {windowsOptions: {gmsaCredentialSpec: '" +
                              std::string(size, 'a') + "'}}\n");
  };
  CHECK(credentials(65536) == "");
  CHECK(credentials(65537) ==
        "securityContext.windowsOptions.gmsaCredentialSpec: gmsaCredentialSpec is larger than 64 KiB\n");
  CHECK(user(std::string(104, 'a')) == "");
  CHECK(user(std::string(105, 'a')).find("has a user of more than 104 characters") != std::string::npos);
  CHECK(user(std::string(256, 'd') + "\\a").find("has a domain of more than 255 characters") !=
        std::string::npos);
  CHECK(user("d\\").find("has no user") != std::string::npos);
  CHECK(user("d\\. .").find("has a user of only dots and spaces") != std::string::npos);
  CHECK(container_findings(R"(
securityContext: {windowsOptions: {runAsUserName: "NT AUTHORITY\\SYSTEM"}}
)") == "");
  CHECK(container_findings(R"(
securityContext: {windowsOptions: {runAsUserName: "corp.example.com\\ada"}}
)") == "");
}

TEST_CASE("processes of a Windows host") {
  CHECK(
      pod_findings(R"(
securityContext: {windowsOptions: {hostProcess: true}}
containers: [{name: a, image: i}, {name: b, image: i, securityContext: {windowsOptions: {hostProcess: false}}}]
)") ==
      R"(containers[1].securityContext.windowsOptions.hostProcess: hostProcess of the container contradicts that of the pod
spec.replicatedJobs[0].template.spec.template.spec: either all containers are hostProcess containers, or none
hostNetwork: hostProcess containers need hostNetwork | add hostNetwork: true
)");
  CHECK(
      pod_findings(R"(
hostNetwork: true
securityContext: {windowsOptions: {hostProcess: true}}
)") ==
      R"(spec.replicatedJobs[0].template.spec.template.spec: hostProcess containers are not allowed unless the cluster allows privileged containers
)");
}

}  // namespace
}  // namespace trainjobc::test::jobs::job_admission_pod_test
