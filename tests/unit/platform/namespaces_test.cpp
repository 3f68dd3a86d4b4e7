// SPDX-License-Identifier: Apache-2.0

// Pod Security, quotas and LimitRanges of a namespace, as lint and render report them.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "platform/pod_security.h"
#include "support/reading.h"
#include "support/test_console.h"

namespace trainjobc::namespaces_test {
namespace {

constexpr const char* kRuntime =
    "apiVersion: trainer.kubeflow.org/v1alpha1\n"
    "kind: ClusterTrainingRuntime\n"
    "metadata:\n"
    "  name: team-torch\n"
    "  labels: {trainer.kubeflow.org/framework: torch}\n"
    "spec:\n"
    "  mlPolicy: {numNodes: 1, torch: {}}\n"
    "  template:\n"
    "    spec:\n"
    "      replicatedJobs:\n"
    "      - name: node\n"
    "        template:\n"
    "          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}\n"
    "          spec:\n"
    "            template:\n"
    "              spec:\n"
    "                containers:\n"
    "                - name: node\n"
    "                  image: ghcr.io/team/train:1.0\n"
    "                  command: [torchrun, train.py]\n";

std::string job(const std::string& resources, int nodes = 2, const std::string& name = "llama") {
  return fmt::format(
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {{name: {}, namespace: team-a}}\n"
      "spec:\n  runtimeRef: {{name: team-torch}}\n  trainer:\n    numNodes: {}\n{}",
      name, nodes, resources);
}

test::Run run(const std::string& command, const std::string& platform, const std::string& jobs) {
  base::MemoryFileSystem files;
  files.files["platform.yaml"] = platform;
  files.files["runtime.yaml"] = kRuntime;
  files.files["job.yaml"] = jobs;
  return test::run(files, {command, "--no-config", "platform.yaml", "runtime.yaml", "job.yaml"});
}

std::string lint(const std::string& platform, const std::string& jobs) {
  return run("lint", platform, jobs).out;
}

// With settings, and a runtime class in the pods of the runtime.
std::string lint_with(const std::string& settings, const std::string& platform, const std::string& jobs) {
  std::string runtime = kRuntime;
  runtime.insert(runtime.find("                containers:"), "                runtimeClassName: kata\n");
  base::MemoryFileSystem files;
  files.files[".trainjobc.yaml"] = settings;
  files.files["platform.yaml"] = platform;
  files.files["runtime.yaml"] = runtime;
  files.files["job.yaml"] = jobs;
  return test::run(files, {"lint", "--quiet", "platform.yaml", "runtime.yaml", "job.yaml"}).out;
}

std::string quota(const std::string& spec) {
  return "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: team, namespace: team-a}\nspec:\n" + spec;
}

std::string limits(const std::string& items) {
  return "apiVersion: v1\nkind: LimitRange\nmetadata: {name: team, namespace: team-a}\nspec:\n  limits:\n" +
         items;
}

const std::string kGpus = "    resourcesPerNode:\n      limits: {cpu: 8, memory: 64Gi, nvidia.com/gpu: 8}\n";

// The names of the checks that refuse a pod.
std::string refused(const std::string& pod, platform::SecurityLevel level, const std::string& version) {
  const test::Reading reading(pod);
  std::string names;
  for (const auto& one :
       platform::security_violations(reading.root(), level, *platform::read_level_version(version)))
    names += (names.empty() ? "" : " ") + std::string(one.check);
  return names;
}

}  // namespace

TEST_CASE("Pod Security: what a namespace enforces, warns of and records") {
  const std::string ns =
      "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: team-a\n  labels:\n"
      "    pod-security.kubernetes.io/enforce: restricted\n"
      "    pod-security.kubernetes.io/enforce-version: v1.30\n";
  CHECK(
      lint(ns, job("")) ==
      R"(runtime.yaml:18:25: error: the namespace "team-a" enforces the Pod Security level restricted:v1.30: container "node" must set securityContext.allowPrivilegeEscalation: false [job/pod-security]
   18 |                 - name: node
      |                         ^~~~ set securityContext: {allowPrivilegeEscalation: false}
  note: the label at platform.yaml:6:41

runtime.yaml:18:25: error: the namespace "team-a" enforces the Pod Security level restricted:v1.30: container "node" must set securityContext.capabilities.drop: [ALL] [job/pod-security]
   18 |                 - name: node
      |                         ^~~~ set securityContext: {capabilities: {drop: [ALL]}}
  note: the label at platform.yaml:6:41

runtime.yaml:18:25: error: the namespace "team-a" enforces the Pod Security level restricted:v1.30: the pod or container "node" must set securityContext.runAsNonRoot: true [job/pod-security]
   18 |                 - name: node
      |                         ^~~~ set securityContext: {runAsNonRoot: true}
  note: the label at platform.yaml:6:41

runtime.yaml:18:25: error: the namespace "team-a" enforces the Pod Security level restricted:v1.30: the pod or container "node" must set securityContext.seccompProfile.type: RuntimeDefault or Localhost [job/pod-security]
   18 |                 - name: node
      |                         ^~~~ set securityContext: {seccompProfile: {type: RuntimeDefault}}
  note: the label at platform.yaml:6:41

4 findings (4 errors) in 1 of 3 files
)");
  CHECK(
      lint("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: team-a\n  labels:\n"
           "    pod-security.kubernetes.io/warn: hf_abcdefghij0123456789abcd\n",
           "") ==
      R"(platform.yaml:6:38: error: pod-security.kubernetes.io/warn can't be "***" [advice/pod-security-label]
  hint: write privileged, baseline or restricted

1 finding (1 error) in 1 of 3 files
)");
  CHECK(
      lint("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: team-a\n  labels:\n"
           "    pod-security.kubernetes.io/warn: restricted\n"
           "    pod-security.kubernetes.io/audit: strict\n",
           job("")) ==
      R"(platform.yaml:7:39: error: pod-security.kubernetes.io/audit can't be "strict" [advice/pod-security-label]
    7 |     pod-security.kubernetes.io/audit: strict
      |                                       ^~~~~~ write privileged, baseline or restricted

runtime.yaml:18:25: warning: the namespace "team-a" warns of what violates the Pod Security level restricted:latest: container "node" must set securityContext.allowPrivilegeEscalation: false [advice/pod-security-warning]
   18 |                 - name: node
      |                         ^~~~ set securityContext: {allowPrivilegeEscalation: false}
  note: the label at platform.yaml:6:38

runtime.yaml:18:25: warning: the namespace "team-a" warns of what violates the Pod Security level restricted:latest: container "node" must set securityContext.capabilities.drop: [ALL] [advice/pod-security-warning]
   18 |                 - name: node
      |                         ^~~~ set securityContext: {capabilities: {drop: [ALL]}}
  note: the label at platform.yaml:6:38

runtime.yaml:18:25: warning: the namespace "team-a" warns of what violates the Pod Security level restricted:latest: the pod or container "node" must set securityContext.runAsNonRoot: true [advice/pod-security-warning]
   18 |                 - name: node
      |                         ^~~~ set securityContext: {runAsNonRoot: true}
  note: the label at platform.yaml:6:38

runtime.yaml:18:25: warning: the namespace "team-a" warns of what violates the Pod Security level restricted:latest: the pod or container "node" must set securityContext.seccompProfile.type: RuntimeDefault or Localhost [advice/pod-security-warning]
   18 |                 - name: node
      |                         ^~~~ set securityContext: {seccompProfile: {type: RuntimeDefault}}
  note: the label at platform.yaml:6:38

5 findings (1 error, 4 warnings) in 2 of 3 files
)");
  CHECK(lint("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: team-b\n  labels:\n"
             "    pod-security.kubernetes.io/enforce: restricted\n",
             job("")) == "");
  const test::Run rendered = run("render", ns, job(""));
  CHECK(rendered.status == 0);
  CHECK(
      rendered.err.substr(0, rendered.err.find('\n') + 1) ==
      R"(runtime.yaml:18:25: warning: the namespace "team-a" enforces the Pod Security level restricted:v1.30: container "node" must set securityContext.allowPrivilegeEscalation: false [job/pod-security]
)");
}

TEST_CASE("Pod Security: exemptions of the settings, as an API server's configuration names them") {
  const std::string ns =
      "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: team-a\n  labels:\n"
      "    pod-security.kubernetes.io/enforce: restricted\n    pod-security.kubernetes.io/warn: baseline\n";
  const auto found = [&](const std::string& exemptions) {
    return lint_with("podSecurity: {exemptions: {" + exemptions + "}}\n", ns, job(""));
  };
  const std::string all = found("");
  CHECK(
      all ==
      R"(runtime.yaml:19:25: error: the namespace "team-a" enforces the Pod Security level restricted:latest: container "node" must set securityContext.allowPrivilegeEscalation: false [job/pod-security]
   19 |                 - name: node
      |                         ^~~~ set securityContext: {allowPrivilegeEscalation: false}
  note: the label at platform.yaml:6:41

runtime.yaml:19:25: error: the namespace "team-a" enforces the Pod Security level restricted:latest: container "node" must set securityContext.capabilities.drop: [ALL] [job/pod-security]
   19 |                 - name: node
      |                         ^~~~ set securityContext: {capabilities: {drop: [ALL]}}
  note: the label at platform.yaml:6:41

runtime.yaml:19:25: error: the namespace "team-a" enforces the Pod Security level restricted:latest: the pod or container "node" must set securityContext.runAsNonRoot: true [job/pod-security]
   19 |                 - name: node
      |                         ^~~~ set securityContext: {runAsNonRoot: true}
  note: the label at platform.yaml:6:41

runtime.yaml:19:25: error: the namespace "team-a" enforces the Pod Security level restricted:latest: the pod or container "node" must set securityContext.seccompProfile.type: RuntimeDefault or Localhost [job/pod-security]
   19 |                 - name: node
      |                         ^~~~ set securityContext: {seccompProfile: {type: RuntimeDefault}}
  note: the label at platform.yaml:6:41

)");
  CHECK(found("namespaces: [team-b], runtimeClasses: [gvisor], usernames: [alice]") == all);
  CHECK(found("namespaces: [team-b, team-a]") == "");
  CHECK(found("runtimeClasses: [kata]") == "");
  CHECK(found("usernames: ['system:serviceaccount:kube-system:job-controller']") == "");
}

TEST_CASE("Pod Security: levels and versions") {
  using enum platform::SecurityLevel;
  const std::string plain = "spec:\n  containers:\n  - {name: a}\n";
  CHECK(refused(plain, Baseline, "latest") == "");
  CHECK(refused(plain, Restricted, "v1.0") == "runAsNonRoot");
  CHECK(refused(plain, Restricted, "v1.8") == "allowPrivilegeEscalation runAsNonRoot");
  CHECK(refused(plain, Restricted, "latest") ==
        "allowPrivilegeEscalation capabilities runAsNonRoot seccompProfile");
  const std::string fits =
      "spec:\n  securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}\n  "
      "containers:\n"
      "  - {name: a, securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}}\n";
  CHECK(refused(fits, Restricted, "latest") == "");
  CHECK(
      refused(
          "spec:\n  os: {name: windows}\n  securityContext: {runAsNonRoot: true}\n  containers:\n  - {name: "
          "a}\n",
          Restricted, "latest") == "");
  const std::string host =
      "spec:\n  hostNetwork: true\n  volumes: [{name: v, hostPath: {path: /}}, {name: n, nfs: {}}]\n  "
      "containers:\n"
      "  - {name: a, ports: [{hostPort: 80}], livenessProbe: {httpGet: {host: h}}}\n";
  CHECK(refused(host, Baseline, "v1.33") == "hostNamespaces hostPathVolumes hostPorts");
  CHECK(refused(host, Baseline, "v1.34") ==
        "hostNamespaces hostPathVolumes hostPorts hostProbesAndHostLifecycle");
  CHECK(refused(host, Restricted, "v1.0") ==
        "hostNamespaces hostPorts runAsNonRoot restrictedVolumes restrictedVolumes");
  const std::string root =
      "spec:\n  hostUsers: false\n  securityContext: {runAsUser: 0}\n  containers:\n"
      "  - {name: a, securityContext: {procMount: Unmasked}}\n";
  CHECK(refused(root, Baseline, "v1.34") == "procMount");
  CHECK(refused(root, Baseline, "v1.35") == "");
  CHECK(refused(root, Restricted, "v1.34") ==
        "procMount allowPrivilegeEscalation capabilities runAsNonRoot runAsUser seccompProfile");
  CHECK(refused(root, Restricted, "v1.35") ==
        "allowPrivilegeEscalation capabilities procMount seccompProfile");
  const std::string sysctl =
      "spec:\n  securityContext: {sysctls: [{name: net.ipv4.tcp_rmem, value: '1'}]}\n  containers: [{name: "
      "a}]\n";
  CHECK(refused(sysctl, Baseline, "v1.31") == "sysctls");
  CHECK(refused(sysctl, Baseline, "v1.32") == "");
}

TEST_CASE("a quota makes requests mandatory") {
  CHECK(
      lint(quota("  hard: {requests.cpu: 100, limits.memory: 1Ti}\n"), job("")) ==
      R"(runtime.yaml:18:25: error: the ResourceQuota "team" counts limits.memory, so each container needs a memory limit: "node" has none [job/quota]
   18 |                 - name: node
      |                         ^~~~ add resources: {limits: {memory: …}}
  note: the quota at platform.yaml:5:44

runtime.yaml:18:25: error: the ResourceQuota "team" counts requests.cpu, so each container needs a cpu request: "node" has none [job/quota]
   18 |                 - name: node
      |                         ^~~~ add resources: {requests: {cpu: …}}
  note: the quota at platform.yaml:5:24

2 findings (2 errors) in 1 of 3 files
)");
  CHECK(lint(quota("  hard: {requests.cpu: 100, limits.memory: 1Ti}\n"), job(kGpus)) == "");
  CHECK(lint(quota("  hard: {cpu: 100}\n  scopes: [BestEffort]\n"), job(kGpus)) == "");
}

TEST_CASE("a job that a quota can't hold") {
  CHECK(
      lint(quota("  hard: {requests.nvidia.com/gpu: 8, pods: 4}\n"), job(kGpus)) ==
      R"(job.yaml:9:54: error: the job takes requests.nvidia.com/gpu: 16; the ResourceQuota "team" of the namespace "team-a" allows 8 [job/quota]
    9 |       limits: {cpu: 8, memory: 64Gi, nvidia.com/gpu: 8}
      |                                                      ^ its last pods are refused, and the others wait for them
  note: the quota at platform.yaml:5:35

1 finding (1 error) in 1 of 3 files
)");
  CHECK(
      lint(quota("  hard: {pods: 1, count/jobs.batch: 0}\n"), job(kGpus)) ==
      R"(job.yaml:7:15: error: the job takes count/jobs.batch: 1; the ResourceQuota "team" of the namespace "team-a" allows 0 [job/quota]
    7 |     numNodes: 2
      |               ^ its last pods are refused, and the others wait for them
  note: the quota at platform.yaml:5:37

job.yaml:7:15: error: the job takes pods: 2; the ResourceQuota "team" of the namespace "team-a" allows 1 [job/quota]
    7 |     numNodes: 2
      |               ^ its last pods are refused, and the others wait for them
  note: the quota at platform.yaml:5:16

2 findings (2 errors) in 1 of 3 files
)");
  CHECK(lint(quota("  hard: {requests.nvidia.com/gpu: 8}\n  scopeSelector: {matchExpressions: [{scopeName: "
                   "PriorityClass, operator: In, values: [high]}]}\n"),
             job(kGpus)) == "");
}

TEST_CASE("jobs that a quota can't hold together") {
  CHECK(
      lint(quota("  hard: {requests.nvidia.com/gpu: 16}\n"), job(kGpus) + "---\n" + job(kGpus, 1, "bert")) ==
      R"(platform.yaml:5:35: info: 2 jobs of the namespace take requests.nvidia.com/gpu: 24 together; the ResourceQuota "team" allows 16 [advice/quota-together]
    5 |   hard: {requests.nvidia.com/gpu: 16}
      |                                   ^~ they can't all run at the same time
  note: TrainJob/team-a/bert takes 8 at job.yaml:13:18
  note: TrainJob/team-a/llama takes 16 at job.yaml:3:18

1 finding (1 info) in 1 of 3 files
)");
}

TEST_CASE("LimitRanges fill in what containers don't say, and refuse amounts") {
  CHECK(
      lint(limits("  - {type: Container, default: {cpu: 2}, max: {memory: 32Gi}}\n"), job(kGpus)) ==
      R"(job.yaml:9:32: error: container "node" has a memory limit of 64Gi; the LimitRange "team" allows at most 32Gi [job/limit-range]
    9 |       limits: {cpu: 8, memory: 64Gi, nvidia.com/gpu: 8}
      |                                ^~~~ write at most 32Gi
  note: the LimitRange at platform.yaml:6:56

1 finding (1 error) in 1 of 3 files
)");
  CHECK(lint(limits("  - {type: Container, min: {cpu: 1}, max: {cpu: 4}}\n"), job("")) == "");
  CHECK(
      lint(limits("  - {type: Pod, max: {cpu: 4, ephemeral-storage: 1Gi}}\n"), job(kGpus)) ==
      R"(job.yaml:9:21: error: the pod has a cpu limit of 8; the LimitRange "team" allows at most 4 [job/limit-range]
    9 |       limits: {cpu: 8, memory: 64Gi, nvidia.com/gpu: 8}
      |                     ^ write at most 4
  note: the LimitRange at platform.yaml:6:28

runtime.yaml:16:15: error: the pod has no ephemeral-storage limit; the LimitRange "team" asks for at most 1Gi [job/limit-range]
   16 |               spec:
      |               ^~~~ add resources: {limits: {ephemeral-storage: …}}
  note: the LimitRange at platform.yaml:6:50

2 findings (2 errors) in 2 of 3 files
)");
  CHECK(
      lint(limits("  - {type: Container, maxLimitRequestRatio: {cpu: 2}}\n"),
           job("    resourcesPerNode:\n      limits: {cpu: 8}\n      requests: {cpu: 1}\n")) ==
      R"(job.yaml:9:21: error: container "node" has a cpu limit of 8 and a request of 1; the LimitRange "team" allows a ratio of at most 2 [job/limit-range]
    9 |       limits: {cpu: 8}
      |                     ^
  note: the LimitRange at platform.yaml:6:51

1 finding (1 error) in 1 of 3 files
)");
  const std::string asked = job("    resourcesPerNode:\n      requests: {cpu: 4}\n");
  CHECK(
      lint(limits("  - {type: Container, default: {cpu: 2}}\n"), asked) ==
      R"(job.yaml:9:23: error: container "node" has a cpu request of 4 and no limit; the LimitRange "team" gives it a limit of 2, which is less [job/limit-range]
    9 |       requests: {cpu: 4}
      |                       ^ add limits: {cpu: 4}
  note: the LimitRange at platform.yaml:6:38

1 finding (1 error) in 1 of 3 files
)");
  CHECK(lint(limits("  - {type: Container, default: {cpu: 4}}\n"), asked) == "");
  CHECK(lint(limits("  - {type: Container, default: {cpu: 2}}\n"),
             job("    resourcesPerNode:\n      requests: {cpu: 4}\n      limits: {cpu: 5}\n")) == "");
  // Its maximum is its default limit, too.
  CHECK(
      lint(limits("  - {type: Container, max: {cpu: 2}}\n"), asked) ==
      R"(job.yaml:9:23: error: container "node" has a cpu request of 4; the LimitRange "team" allows at most 2 [job/limit-range]
    9 |       requests: {cpu: 4}
      |                       ^ write at most 2
  note: the LimitRange at platform.yaml:6:34

1 finding (1 error) in 1 of 3 files
)");
  CHECK(
      lint(limits("  - {type: Container, default: {cpu: 2, memory: 1Gi}}\n") + "---\n" +
               quota("  hard: {requests.cpu: 3, limits.memory: 1Ti}\n"),
           job("")) ==
      R"(platform.yaml:6:38: error: the job takes requests.cpu: 4; the ResourceQuota "team" of the namespace "team-a" allows 3 [job/quota]
    6 |   - {type: Container, default: {cpu: 2, memory: 1Gi}}
      |                                      ^ its last pods are refused, and the others wait for them
  note: the quota at platform.yaml:12:24

1 finding (1 error) in 1 of 3 files
)");
}

}  // namespace trainjobc::namespaces_test
