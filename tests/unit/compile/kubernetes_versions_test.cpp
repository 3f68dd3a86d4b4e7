// SPDX-License-Identifier: Apache-2.0

// What differs between Kubernetes versions.
#include <doctest/doctest.h>

#include "k8s/kubernetes.h"
#include "support/advice.h"

namespace trainjobc::kubernetes_versions_test {
namespace {

// Errors, and what is dropped, for a pod with these lines, indented by sixteen.
std::string findings(const std::string& kubernetes, const std::string& pod) {
  Options options;
  options.render = false;
  options.use_catalogue = false;
  options.threads = 1;
  options.trainer_version = "2.3";
  options.kubernetes_version = kubernetes;
  const Compilation compiled = compile_sources(
      {{"in.yaml", test::runtime("{numNodes: 1}", test::trainer() + pod) + test::job("  trainer: {}\n")}}, {},
      options);
  std::string text;
  for (const base::Diagnostic& found : compiled.diagnostics.items()) {
    if (found.severity == base::Severity::Error || found.rule == "advice/dropped-field")
      text += found.message + " (" + found.hint + ")\n";
  }
  return text;
}

std::string projected(const std::string& source) {
  return "                volumes: [{name: v, projected: {sources: [{" + source + "}]}}]\n";
}

}  // namespace

TEST_CASE("versions of Kubernetes") {
  CHECK(k8s::find_kubernetes("v1.37.2")->version == "1.37");
  CHECK(k8s::find_kubernetes("1.33") == nullptr);
  CHECK(k8s::find_kubernetes("") == nullptr);
  CHECK(k8s::kubernetes_with_field("emptyDir", "mode") == "1.37");
  CHECK(k8s::kubernetes_with_field("emptyDir", "medium").empty());
}

TEST_CASE("seLinuxChangePolicy: MountOption, since 1.37") {
  const std::string pod = "                securityContext: {seLinuxChangePolicy: MountOption}\n";
  CHECK(
      findings("1.36", pod) ==
      R"(Kubernetes 1.36 does not accept "MountOption" for seLinuxChangePolicy (only "Recursive"; Kubernetes 1.37 accepts it: name the cluster's version with --kubernetes-version)
)");
  CHECK(findings("1.37", pod) == "");
  CHECK(findings("1.38", pod) == "");
  CHECK(findings("1.37", "                securityContext: {seLinuxChangePolicy: Other}\n") ==
        R"(seLinuxChangePolicy can't be "Other" (one of "Recursive", "MountOption")
)");
}

TEST_CASE("certificates in projected volumes: dropped until 1.36, checked since 1.37") {
  const std::string both =
      projected("clusterTrustBundle: {name: a, signerName: example.com/b, path: ca.crt}");
  CHECK(
      findings("1.34", both) ==
      R"(Kubernetes 1.34 drops clusterTrustBundle: its feature gate ClusterTrustBundleProjection is off (Kubernetes 1.37 reads it: remove it, or name the cluster's version with --kubernetes-version 1.37)
)");
  CHECK(findings("1.37", both) ==
        R"(a clusterTrustBundle can't have both name and signerName (keep one of them)
)");
  CHECK(findings("1.37", projected("clusterTrustBundle: {signerName: example.com/b, path: ca.crt}")) == "");
  CHECK(
      findings("1.37", projected("clusterTrustBundle: {name: a, path: ca.crt}, podCertificate: "
                                 "{signerName: example.com/b, keyType: ED25519, credentialBundlePath: a}")) ==
      R"(a projected source can have only one kind, not 2 (make each a separate element)
)");
  CHECK(findings("1.37", projected("podCertificate: {signerName: example, keyType: RSA1024, "
                                   "maxExpirationSeconds: 60}")) ==
        R"(a podCertificate needs one of credentialBundlePath, keyPath, certificateChainPath ()
signerName "example" must be a domain, a '/' and a path (such as example.com/name)
keyType can't be "RSA1024" (one of "RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519")
maxExpirationSeconds must be from 3600 to 7862400, not 60 ()
)");
  CHECK(findings("1.38", projected("podCertificate: {signerName: example.com/b, keyType: ED25519, "
                                   "credentialBundlePath: a, keyPath: a}")) ==
        R"(two sources write the file "a" (give one of them another path)
)");
  const std::string quantum =
      projected("podCertificate: {signerName: example.com/b, keyType: MLDSA44, keyPath: a}");
  CHECK(
      findings("1.37", quantum) ==
      R"(Kubernetes 1.37 does not accept "MLDSA44" for keyType (one of "RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"; Kubernetes 1.38 accepts it: name the cluster's version with --kubernetes-version)
)");
  CHECK(findings("1.38", quantum) == "");
}

TEST_CASE("fields whose gates are off are dropped, and the rest is checked without them") {
  CHECK(
      findings("1.38", "                schedulingGroup: {podGroupName: a}\n") ==
      R"(Kubernetes 1.38 drops schedulingGroup: its feature gate GenericWorkload is off (remove it, unless the cluster has the gate on)
)");
  CHECK(
      findings("1.34", "                hostnameOverride: A_\n") ==
      R"(Kubernetes 1.34 drops hostnameOverride: its feature gate HostnameOverride is off (Kubernetes 1.35 reads it: remove it, or name the cluster's version with --kubernetes-version 1.35)
)");
  CHECK(
      findings("1.35", "                hostnameOverride: A_\n") ==
      R"(hostnameOverride "A_" may contain only lower-case letters, digits, '-' and '.', and each part between dots must begin and end with a letter or digit (write a)
)");
  const std::string file =
      "                  env: [{name: A, valueFrom: {fileKeyRef: {volumeName: v, path: a, key: A}}}]\n"
      "                volumes: [{name: v, emptyDir: {}}]\n";
  CHECK(
      findings("1.34", file) ==
      R"(valueFrom names no source (one of fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef, or remove valueFrom)
Kubernetes 1.34 drops fileKeyRef: its feature gate EnvFiles is off (Kubernetes 1.35 reads it: remove it, or name the cluster's version with --kubernetes-version 1.35)
)");
  CHECK(findings("1.35", file) == "");
  const std::string image =
      "                  volumeMounts: [{name: v, mountPath: /v}]\n"
      "                volumes: [{name: v, image: {reference: a}}]\n";
  CHECK(
      findings("1.34", image) ==
      R"(Kubernetes 1.34 drops image, its volume and the mounts of it: its feature gate ImageVolume is off (Kubernetes 1.35 reads it: remove it, or name the cluster's version with --kubernetes-version 1.35)
)");
  CHECK(findings("1.35", image) == "");
  const std::string two = "                volumes: [{name: v, emptyDir: {}, image: {reference: a}}]\n";
  CHECK(
      findings("1.34", two) ==
      R"(Kubernetes 1.34 drops image, its volume and the mounts of it: its feature gate ImageVolume is off (Kubernetes 1.35 reads it: remove it, or name the cluster's version with --kubernetes-version 1.35)
)");
  CHECK(
      findings("1.35", two) ==
      R"(volume "v" has two sources, emptyDir and image (keep one of them; a patch that changes the source keeps the old one too)
)");
}

TEST_CASE("restart rules: dropped in 1.34, all containers and sidecars since 1.36") {
  const std::string rules =
      "restartPolicyRules: [{action: RestartAllContainers, exitCodes: {operator: In, values: [42]}}]";
  const std::string pod = "                  restartPolicy: Never\n                  " + rules + "\n";
  CHECK(
      findings("1.34", pod) ==
      R"(Kubernetes 1.34 drops restartPolicy: its feature gate ContainerRestartRules is off (Kubernetes 1.35 reads it: remove it, or name the cluster's version with --kubernetes-version 1.35)
Kubernetes 1.34 drops restartPolicyRules: its feature gate ContainerRestartRules is off (Kubernetes 1.35 reads it: remove it, or name the cluster's version with --kubernetes-version 1.35)
)");
  CHECK(
      findings("1.35", pod) ==
      R"(Kubernetes 1.35 does not accept "RestartAllContainers" for action (only "Restart"; Kubernetes 1.36 accepts it: name the cluster's version with --kubernetes-version)
)");
  CHECK(findings("1.36", pod) == "");
  const std::string sidecar =
      "                initContainers: [{name: s, image: \"s:1\", restartPolicy: Always, " + rules + "}]\n";
  CHECK(
      findings("1.34", sidecar) ==
      R"(Kubernetes 1.34 drops restartPolicyRules: its feature gate ContainerRestartRules is off (Kubernetes 1.35 reads it: remove it, or name the cluster's version with --kubernetes-version 1.35)
)");
  CHECK(
      findings("1.35", sidecar) ==
      R"(Kubernetes 1.35 does not accept restartPolicyRules with restartPolicy Always in an init container (remove them)
Kubernetes 1.35 does not accept "RestartAllContainers" for action (only "Restart"; Kubernetes 1.36 accepts it: name the cluster's version with --kubernetes-version)
)");
  CHECK(findings("1.36", sidecar) == "");
  const std::string init =
      "                initContainers: [{name: s, image: \"s:1\", restartPolicy: Sometimes}]\n";
  CHECK(
      findings("1.34", init) ==
      R"(Kubernetes 1.34 drops restartPolicy: its feature gate ContainerRestartRules is off (Kubernetes 1.35 reads it: remove it, or name the cluster's version with --kubernetes-version 1.35)
)");
  CHECK(findings("1.35", init) ==
        R"(restartPolicy can't be "Sometimes" (one of "Always", "Never", "OnFailure")
)");
}

TEST_CASE("IP addresses: strict since 1.36") {
  const std::string zeros = "                hostAliases: [{ip: 010.0.0.7, hostnames: [a]}]\n";
  CHECK(findings("1.35", zeros) == "");
  CHECK(findings("1.36", zeros) ==
        R"(ip "010.0.0.7" is not an IP address (write it as 10.9.8.7 or 2001:db8::1)
)");
  CHECK(findings("1.35", "                hostAliases: [{ip: \"::ffff:1.2.3.4\", hostnames: [a]}]\n") == "");
  CHECK(findings("1.35", "                hostAliases: [{ip: 10.0.0.256, hostnames: [a]}]\n") ==
        R"(ip "10.0.0.256" is not an IP address (write it as 10.9.8.7 or 2001:db8::1)
)");
}

TEST_CASE("fields that Kubernetes has and Trainer's CRD lacks") {
  CHECK(
      findings("1.37", "                volumes: [{name: v, emptyDir: {mode: 448}}]\n") ==
      R"(unknown field "mode" in spec.template.spec.replicatedJobs[0].template.spec.template.spec.volumes[0].emptyDir (Kubernetes has it since 1.37, but the CRD of Trainer 2.3 does not: remove it)
)");
}

}  // namespace trainjobc::kubernetes_versions_test
