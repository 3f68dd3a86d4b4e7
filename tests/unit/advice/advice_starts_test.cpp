// SPDX-License-Identifier: Apache-2.0

// Advice on jobs that the cluster takes and that never start, or never end well.
#include <doctest/doctest.h>

#include "support/advice.h"

namespace trainjobc::advice_starts_test {
using trainjobc::test::advice;
using trainjobc::test::job;
using trainjobc::test::replicated_job;
using trainjobc::test::runtime;
using trainjobc::test::trainer;

namespace {

// A runtime whose pods have these fields, lines indented by sixteen.
std::string with_pod(const std::string& fields) {
  return runtime("", trainer() + fields);
}

std::string patch_of(const std::string& pod_spec) {
  return job(
      "  runtimePatches:\n"
      "    - manager: example.com/team\n"
      "      trainingRuntimeSpec:\n"
      "        template:\n"
      "          spec:\n"
      "            replicatedJobs:\n"
      "              - name: node\n"
      "                template: {spec: {template: {spec: " +
      pod_spec + "}}}\n");
}

const char* const kClaims =
    "      volumeClaimPolicies:\n"
    "      - templates: [{metadata: {name: cache}, spec: {accessModes: [ReadWriteOnce], resources: "
    "{requests: "
    "{storage: 1Gi}}}}]\n";

std::string with_claims(const std::string& policy = "") {
  return runtime(
      "", kClaims + policy + trainer("                  volumeMounts: [{name: cache, mountPath: /c}]\n"));
}

}  // namespace

TEST_CASE("advice/overhead: pods that state what a RuntimeClass adds") {
  const std::string overhead = "                overhead: {cpu: 100m}\n";
  CHECK(advice("advice/overhead", with_pod(overhead) + job("")) ==
        R"(in.yaml:20:17: error: no pod is created: overhead needs a RuntimeClass [advice/overhead]
   20 |                 overhead: {cpu: 100m}
      |                 ^~~~~~~~ remove it, or add runtimeClassName
)");
  CHECK(advice("advice/overhead",
               with_pod(overhead + "                runtimeClassName: kata\n") + job("")) == "");
}

TEST_CASE("advice/priority: a number or a preemptionPolicy without a PriorityClass") {
  CHECK(
      advice("advice/priority",
             with_pod("                priority: 1000\n                preemptionPolicy: Never\n")) ==
      R"(in.yaml:20:17: warning: no pod is created: priority 1000 needs a PriorityClass with this value [advice/priority]
   20 |                 priority: 1000
      |                 ^~~~~~~~ write priorityClassName instead
in.yaml:21:17: warning: no pod is created: preemptionPolicy Never needs a PriorityClass with this policy [advice/priority]
   21 |                 preemptionPolicy: Never
      |                 ^~~~~~~~~~~~~~~~ write priorityClassName instead
)");
  CHECK(advice("advice/priority",
               with_pod("                priority: 1000\n                priorityClassName: high\n")) == "");
  CHECK(advice("advice/priority", with_pod("                priority: 0\n                preemptionPolicy: "
                                           "PreemptLowerPriority\n")) == "");
}

TEST_CASE("advice/host-port: on the host's network, the ports of a pod's containers differ") {
  const std::string host = "                hostNetwork: true\n";
  const auto ports = [](const std::string& first, const std::string& second) {
    const std::string begin = "                  ports: [{name: a, containerPort: ";
    return trainer(begin + first + "}]\n                - name: other\n                  image: a/b:1\n" +
                   begin + second + "}]\n");
  };
  CHECK(
      advice("advice/host-port", runtime("", ports("80", "80") + host)) ==
      R"(in.yaml:23:52: error: no pod is created: with hostNetwork, port 80 of the node is used twice [advice/host-port]
   23 |                   ports: [{name: a, containerPort: 80}]
      |                                                    ^~ give one of the ports another number
  note: the first one at in.yaml:20:52
)");
  CHECK(advice("advice/host-port", runtime("", ports("80", "80"))) == "");
  CHECK(advice("advice/host-port", runtime("", ports("80", "81") + host)) == "");
  CHECK(advice("advice/host-port", runtime("", ports("80", "80, protocol: UDP") + host)) == "");
  CHECK(advice("advice/host-port", runtime("", ports("80, hostIP: 10.0.0.1", "80") + host)) == "");
  // The Job is refused.
  CHECK(advice("advice/host-port", runtime("", ports("80, hostPort: 80", "80, hostPort: 80") + host)) == "");
  // Init containers run one after the other.
  CHECK(
      advice("advice/host-port",
             runtime("", ports("80", "81") + host +
                             "                initContainers: [{name: i, image: \"a/b:1\", ports: [{name: a, "
                             "containerPort: 80}, {name: b, containerPort: 81}]}]\n")) == "");
  // The port that torch adds to a job.
  CHECK(
      advice("advice/host-port",
             runtime("{torch: {}}", ports("80", "29500") + host) + job("  trainer: {}\n")) ==
      R"(in.yaml:24:52: error: no pod is created: with hostNetwork, port 29500 of the node is used twice [advice/host-port]
   24 |                   ports: [{name: a, containerPort: 29500}]
      |                                                    ^~~~~ give one of the ports another number
)");
}

TEST_CASE("advice/node-name: a pod that a gate holds back can't go to a node by name") {
  const std::string gates = "                schedulingGates: [{name: example.com/gate}]\n";
  CHECK(
      advice("advice/node-name", with_pod(gates + "                nodeName: node-17\n")) ==
      R"(in.yaml:21:17: error: no pod is created: nodeName can't be used with schedulingGates [advice/node-name]
   21 |                 nodeName: node-17
      |                 ^~~~~~~~ remove one of the two; a nodeSelector for kubernetes.io/hostname waits for the gates
)");
  CHECK(advice("advice/node-name", with_pod(gates)) == "");
  // A patch adds the gates: the job's own doing.
  CHECK(
      advice("advice/node-name", with_pod("                nodeName: node-17\n") +
                                     patch_of("{schedulingGates: [{name: example.com/gate}]}")) ==
      R"(in.yaml:20:17: error: no pod is created: nodeName can't be used with schedulingGates [advice/node-name]
   20 |                 nodeName: node-17
      |                 ^~~~~~~~ remove one of the two; a nodeSelector for kubernetes.io/hostname waits for the gates
)");
}

TEST_CASE("advice/exclusive-topology: no key of a label") {
  const auto with_topology = [](const std::string& annotations) {
    return runtime("", trainer())
        .replace(runtime("", trainer()).find("  template:\n"), 12,
                 "  template:\n    metadata: {annotations: {" + annotations + "}}\n");
  };
  CHECK(
      advice("advice/exclusive-topology",
             with_topology("alpha.jobset.sigs.k8s.io/exclusive-topology: \"rack 7\"") + job("")) ==
      R"(in.yaml:9:75: error: no pod is created: the topology "rack 7" may contain only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit [advice/exclusive-topology]
    9 |     metadata: {annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: "rack 7"}}
      |                                                                           ^~~~~~~~ write the key of a node label, such as topology.kubernetes.io/zone
)");
  CHECK(advice("advice/exclusive-topology",
               with_topology("alpha.jobset.sigs.k8s.io/exclusive-topology: example.com/rack") + job("")) ==
        "");
  CHECK(advice("advice/exclusive-topology",
               with_topology("alpha.jobset.sigs.k8s.io/exclusive-topology: \"rack 7\", "
                             "alpha.jobset.sigs.k8s.io/node-selector: \"true\"") +
                   job("")) == "");
}

TEST_CASE("advice/depends-on-itself") {
  const auto depending_on = [](const std::string& name) {
    return runtime("", "      replicatedJobs:\n" + replicated_job("first", "") +
                           replicated_job("node", "trainer") + "        dependsOn: [{name: " + name +
                           ", status: Complete}]\n");
  };
  CHECK(
      advice("advice/depends-on-itself", depending_on("node") + job("")) ==
      R"(in.yaml:28:28: error: replicatedJob "node" never starts: it depends on itself [advice/depends-on-itself]
   28 |         dependsOn: [{name: node, status: Complete}]
      |                            ^~~~ name a replicatedJob that comes before it
)");
  CHECK(advice("advice/depends-on-itself", depending_on("first") + job("")) == "");
}

TEST_CASE("advice/deadline-overflow: of the TrainJob, and of a Job") {
  CHECK(
      advice("advice/deadline-overflow",
             runtime("", trainer()) + job("  activeDeadlineSeconds: 9223372037\n")) ==
      R"(in.yaml:27:26: error: a deadline of 9223372037 s overflows: the job fails as soon as it starts [advice/deadline-overflow]
   27 |   activeDeadlineSeconds: 9223372037
      |                          ^~~~~~~~~~ leave it out, or write at most 9223372036
)");
  CHECK(advice("advice/deadline-overflow",
               runtime("", trainer()) + job("  activeDeadlineSeconds: 9223372036\n")) == "");
  const auto with_deadline = [](const std::string& seconds) {
    return runtime("", trainer() + "            activeDeadlineSeconds: " + seconds + "\n");
  };
  CHECK(
      advice("advice/deadline-overflow", with_deadline("9300000000") + job("")) ==
      R"(in.yaml:20:36: error: a deadline of 9300000000 s overflows: the Job fails as soon as it starts [advice/deadline-overflow]
   20 |             activeDeadlineSeconds: 9300000000
      |                                    ^~~~~~~~~~ leave it out, or write at most 9223372036
)");
  CHECK(advice("advice/deadline-overflow", with_deadline("86400") + job("")) == "");
}

TEST_CASE("advice/object-size: more than etcd accepts") {
  const std::string script(1700 * 1024, 'x');
  const auto size_of = [&](size_t length) {
    std::string found =
        advice("advice/object-size", runtime("", trainer("                  env: [{name: SCRIPT, value: \"" +
                                                         script.substr(0, length) + "\"}]\n")) +
                                         job(""));
    return found;
  };
  CHECK(size_of(1500 * 1024) == "");
  CHECK(
      size_of(1700 * 1024) ==
      R"(in.yaml:1:1: error: the runtime can't be stored: it has 1.7 MiB, and etcd accepts requests of at most 1.5 MiB [advice/object-size]
    1 | apiVersion: trainer.kubeflow.org/v1alpha1
      | ^~~~~~~~~~ move scripts and data into images, ConfigMaps or volumes
in.yaml:22:1: error: the JobSet can't be stored: it has 1.7 MiB, and etcd accepts requests of at most 1.5 MiB [advice/object-size]
   22 | apiVersion: trainer.kubeflow.org/v1alpha1
      | ^~~~~~~~~~ move scripts and data into images, ConfigMaps or volumes
)");
}

TEST_CASE("advice/claim-policy: a resumed job whose JobSet can't be updated") {
  CHECK(
      advice("advice/claim-policy", with_claims() + job("  suspend: true\n")) ==
      R"(in.yaml:30:12: warning: the job starts suspended and stays suspended: its runtime's volumeClaimPolicies lack retentionPolicy, so the controller's update of the JobSet is refused [advice/claim-policy]
   30 |   suspend: true
      |            ^~~~ write retentionPolicy: {whenDeleted: Delete} in the runtime
  note: the policy at in.yaml:11:9
)");
  std::string queued = job("");
  queued.replace(queued.find("  name: job\n"), 12,
                 "  name: job\n  labels: {kueue.x-k8s.io/queue-name: team-a}\n");
  CHECK(
      advice("advice/claim-policy", with_claims() + queued) ==
      R"(in.yaml:28:39: warning: the job starts suspended and stays suspended: its runtime's volumeClaimPolicies lack retentionPolicy, so the controller's update of the JobSet is refused [advice/claim-policy]
   28 |   labels: {kueue.x-k8s.io/queue-name: team-a}
      |                                       ^~~~~~ write retentionPolicy: {whenDeleted: Delete} in the runtime
  note: the policy at in.yaml:11:9
)");
  CHECK(advice("advice/claim-policy", with_claims() + job("")) == "");
  CHECK(advice("advice/claim-policy", with_claims("        retentionPolicy: {whenDeleted: Delete}\n") +
                                          job("  suspend: true\n")) == "");
}

TEST_CASE("advice/claim-retained: claims that refuse the next job") {
  CHECK(
      advice("advice/claim-retained", with_claims("        retentionPolicy: {whenDeleted: Retain}\n")) ==
      R"(in.yaml:12:40: info: these claims outlive their job, and JobSet refuses the next job of that name while they exist [advice/claim-retained]
   12 |         retentionPolicy: {whenDeleted: Retain}
      |                                        ^~~~~~ give each job a unique name, or delete its claims before the next one
)");
  CHECK(advice("advice/claim-retained", with_claims("        retentionPolicy: {whenDeleted: Delete}\n")) ==
        "");
  CHECK(advice("advice/claim-retained", with_claims()) == "");
}

TEST_CASE("advice/managed-elsewhere: MultiKueue's jobs") {
  const std::string managed = job("  managedBy: kueue.x-k8s.io/multikueue\n");
  CHECK(
      advice("advice/managed-elsewhere", runtime("", trainer()) + managed) ==
      R"(in.yaml:27:14: info: kueue.x-k8s.io/multikueue manages this job: in the cluster that it is applied to, Trainer creates nothing for it [advice/managed-elsewhere]
   27 |   managedBy: kueue.x-k8s.io/multikueue
      |              ^~~~~~~~~~~~~~~~~~~~~~~~~
)");
  CHECK(advice("advice/managed-elsewhere", runtime("", trainer()) + managed, {}, "2.2") == "");
  CHECK(advice("advice/managed-elsewhere",
               runtime("", trainer()) + job("  managedBy: trainer.kubeflow.org/trainjob-controller\n")) ==
        "");
}

TEST_CASE("what another cluster would refuse is not an error here") {
  const std::string managed = "  managedBy: kueue.x-k8s.io/multikueue\n";
  const std::string refused = with_pod("                volumes: [{name: x, projected: {}}]\n");
  const auto warnings = [](const std::string& text) {
    const trainjobc::Compilation compiled = trainjobc::test::lint(text);
    std::string found;
    for (const trainjobc::base::Diagnostic& diagnostic : compiled.diagnostics.items()) {
      if (diagnostic.stage != trainjobc::base::Stage::Advice) found += format_text(diagnostic, {});
    }
    return found;
  };
  CHECK(
      warnings(refused + job(managed)) ==
      R"(in.yaml:20:48: warning: sources must have items: JobSet's webhook turns a missing value into null, which its schema refuses [jobset/type]
   20 |                 volumes: [{name: x, projected: {}}]
      |                                                ^ add sources: […]
  note: not an error here: kueue.x-k8s.io/multikueue has the JobSet created in another cluster at in.yaml:28:14
)");
  const std::string error =
      R"(in.yaml:20:48: error: sources must have items: JobSet's webhook turns a missing value into null, which its schema refuses [jobset/type]
   20 |                 volumes: [{name: x, projected: {}}]
      |                                                ^ add sources: […]
)";
  CHECK(trainjobc::test::errors(refused + job("")) == error);
  CHECK(trainjobc::test::errors(refused + job(managed), {}, "2.2") == error);
}

}  // namespace trainjobc::advice_starts_test
