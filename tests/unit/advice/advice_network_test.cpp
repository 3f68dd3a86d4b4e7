// SPDX-License-Identifier: Apache-2.0

// Advice on addresses, ports, restarts, queues.
#include <doctest/doctest.h>

#include "support/advice.h"

namespace trainjobc::advice_network_test {
using trainjobc::test::advice;
using trainjobc::test::job;
using trainjobc::test::replicated_job;
using trainjobc::test::runtime;
using trainjobc::test::trainer;

namespace {

std::string with_ports(const std::string& ports, const std::string& more = "") {
  return runtime("{torch: {}}", trainer("                  ports: " + ports + "\n" + more));
}

// The runtime's replicatedJob with these lines in its Job's spec, indented by twelve.
std::string with_job_spec(const std::string& lines, const std::string& policy = "{torch: {}}") {
  std::string jobs = trainer();
  const std::string spec = "          spec:\n";
  jobs.replace(jobs.find(spec), spec.size(), spec + lines);
  return runtime(policy, jobs);
}

}  // namespace

TEST_CASE("advice/address: another name than node") {
  CHECK(
      advice("advice/address",
             runtime("{torch: {}}", "      replicatedJobs:\n" + replicated_job("worker", "trainer"))) ==
      R"(in.yaml:12:15: warning: PET_MASTER_ADDR names a pod of replicatedJob "node", which is not this one: the nodes can't find each other [advice/address]
   12 |       - name: worker
      |               ^~~~~~ rename it to "node"
)");
  CHECK(advice("advice/address", runtime("{numNodes: 2}", "      replicatedJobs:\n" +
                                                              replicated_job("worker", "trainer"))) == "");
  CHECK(advice("advice/address", runtime("{torch: {}}", trainer())) == "");
}

TEST_CASE("advice/address: subdomain and DNS hostnames") {
  const auto with_network = [](const std::string& policy, const std::string& network) {
    return advice("advice/address", runtime(policy, "      network: " + network + "\n" + trainer()));
  };
  CHECK(
      with_network("{jax: {}}", "{subdomain: ring}") ==
      R"(in.yaml:11:28: warning: JAX_COORDINATOR_ADDRESS uses the TrainJob's name as the subdomain, not this one: the nodes can't find each other [advice/address]
   11 |       network: {subdomain: ring}
      |                            ^~~~ remove it
)");
  CHECK(with_network("{mpi: {}}", "{enableDNSHostnames: false}") ==
        R"(in.yaml:11:37: warning: without DNS hostnames the nodes can't find each other [advice/address]
   11 |       network: {enableDNSHostnames: false}
      |                                     ^~~~~ remove it
)");
  CHECK(with_network("{mpi: {}}", "{subdomain: ring}") == "");
  CHECK(with_network("{torch: {}}", "{publishNotReadyAddresses: true, enableDNSHostnames: true}") == "");
}

TEST_CASE("advice/port-replaced: a port without a name, a name that a probe uses") {
  CHECK(
      advice("advice/port-replaced", with_ports("[{name: web, containerPort: 80}, {containerPort: 9100}]")) ==
      R"(in.yaml:21:75: warning: port 9100 is lost: it has no name, so the trainer's port 29500 replaces it [advice/port-replaced]
   21 |                   ports: [{name: web, containerPort: 80}, {containerPort: 9100}]
      |                                                                           ^~~~ give it a name
)");
  const std::string probe = "                  readinessProbe: {tcpSocket: {port: rdzv}}\n";
  CHECK(
      advice("advice/port-replaced", with_ports("[{name: rdzv, containerPort: 29500}]", probe)) ==
      R"(in.yaml:21:34: warning: port 29500 loses its name "rdzv", which a probe of the container uses [advice/port-replaced]
   21 |                   ports: [{name: rdzv, containerPort: 29500}]
      |                                  ^~~~ use the number in the probe
)");
  CHECK(advice("advice/port-replaced", with_ports("[{name: rdzv, containerPort: 29500}]")) == "");
  CHECK(advice("advice/port-replaced", with_ports("[{name: metrics, containerPort: 9100}]")) == "");
}

TEST_CASE("several ports without names: an error, with or without a job") {
  const std::string text = with_ports("[{containerPort: 80}, {containerPort: 81}]");
  CHECK(
      trainjobc::test::errors(text) ==
      R"(in.yaml:21:48: error: the controller treats ports without a name as one, and writes the last of them twice [jobset/duplicate]
   21 |                   ports: [{containerPort: 80}, {containerPort: 81}]
      |                                                ^ give each port a name
)");
  CHECK(trainjobc::test::errors(text + job("  trainer: {}\n")) == trainjobc::test::errors(text));
  CHECK(trainjobc::test::errors(with_ports("[{containerPort: 80}, {name: b, containerPort: 81}]")) == "");
}

TEST_CASE("advice/endless-restart: a rule that counts no restarts") {
  const auto with_rules = [](const std::string& rules) {
    return advice("advice/endless-restart",
                  runtime("{torch: {}}", "      failurePolicy:\n        maxRestarts: 3\n        rules:\n" +
                                             rules + trainer()));
  };
  CHECK(
      with_rules("        - {name: all, action: RestartJobSetAndIgnoreMaxRestarts}\n") ==
      R"(in.yaml:14:31: warning: a program of "node" that always fails is restarted forever: this rule counts no restarts and applies to every failure [advice/endless-restart]
   14 |         - {name: all, action: RestartJobSetAndIgnoreMaxRestarts}
      |                               ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ limit it: onJobFailureReasons: [PodFailurePolicy]
)");
  CHECK(with_rules("        - {name: drained, action: RestartJobSetAndIgnoreMaxRestarts, "
                   "onJobFailureReasons: [PodFailurePolicy]}\n") == "");
  CHECK(
      with_rules("        - {name: fails, action: FailJobSet, onJobFailureReasons: [BackoffLimitExceeded]}\n"
                 "        - {name: all, action: RestartJobSetAndIgnoreMaxRestarts}\n") == "");
}

TEST_CASE("advice/endless-restart: limits that are never reached") {
  CHECK(
      advice("advice/endless-restart", with_job_spec("            backoffLimit: 2147483647\n")) ==
      R"(in.yaml:16:27: warning: a pod that always fails is restarted 2147483647 times [advice/endless-restart]
   16 |             backoffLimit: 2147483647
      |                           ^~~~~~~~~~ write how many failures are worth a retry
)");
  CHECK(advice("advice/endless-restart", with_job_spec("            backoffLimit: 6\n")) == "");
  CHECK(advice("advice/endless-restart",
               with_job_spec(
                   "            backoffLimit: 2147483647\n            activeDeadlineSeconds: 3600\n")) == "");
}

TEST_CASE("advice/endless-restart: failures that don't count") {
  const auto with_rule = [](const std::string& rule) {
    return advice("advice/endless-restart",
                  with_job_spec("            podFailurePolicy: {rules: [" + rule + "]}\n"));
  };
  CHECK(
      with_rule("{action: Ignore, onExitCodes: {operator: NotIn, values: [42]}}") ==
      R"(in.yaml:16:49: warning: a program that always exits with code 1 is restarted forever: such failures don't count [advice/endless-restart]
   16 |             podFailurePolicy: {rules: [{action: Ignore, onExitCodes: {operator: NotIn, values: [42]}}]}
      |                                                 ^~~~~~ write Count, or leave 1 out
)");
  CHECK(with_rule("{action: Ignore, onExitCodes: {operator: In, values: [42]}}") == "");
  CHECK(with_rule("{action: Ignore, onExitCodes: {operator: In, values: [42, 1]}}") != "");
  CHECK(with_rule("{action: Ignore, onExitCodes: {operator: NotIn, values: [42, 1]}}") == "");
  CHECK(with_rule("{action: Ignore, onPodConditions: [{type: DisruptionTarget, status: \"True\"}]}") == "");
  CHECK(with_rule("{action: FailJob, onExitCodes: {operator: In, values: [1]}}, "
                  "{action: Ignore, onExitCodes: {operator: In, values: [1, 2]}}") == "");
}

TEST_CASE("advice/pod-restart: a node alone before its gang") {
  const auto gang = [](const std::string& limit, const std::string& policy,
                       const std::string& trainer_section) {
    std::string text = with_job_spec("            backoffLimit: " + limit + "\n", policy);
    const std::string jobs = "      replicatedJobs:\n";
    text.replace(text.find(jobs), jobs.size(), "      failurePolicy: {maxRestarts: 3}\n" + jobs);
    return advice("advice/pod-restart", text + job("  trainer: " + trainer_section + "\n"));
  };
  CHECK(
      gang("2", "{torch: {}}", "{numNodes: 4}") ==
      R"(in.yaml:30:23: warning: when one of the 4 nodes fails, it is restarted alone before the gang is: the others can't accept it back [advice/pod-restart]
   30 |   trainer: {numNodes: 4}
      |                       ^ set backoffLimit: 0 in the runtime
  note: backoffLimit: 2 at in.yaml:17:27
)");
  CHECK(gang("1", "{torch: {}}", "{numNodes: 2}") != "");
  CHECK(gang("0", "{torch: {}}", "{numNodes: 4}") == "");
  CHECK(gang("2", "{torch: {}}", "{numNodes: 1}") == "");
  CHECK(gang("2", "{numNodes: 4}", "{}") == "");
}

TEST_CASE("advice/priority-class: once per name, built-in ones not at all") {
  const std::string pod = "                priorityClassName: ";
  const std::string two = "      replicatedJobs:\n" + replicated_job("prepare", "") + pod + "high\n" +
                          replicated_job("node", "trainer") + pod;
  CHECK(
      advice("advice/priority-class", runtime("{torch: {}}", two + "high\n")) ==
      R"(in.yaml:20:36: info: the cluster must have the PriorityClass "high", which can't be checked here: without it no pod starts [advice/priority-class]
   20 |                 priorityClassName: high
      |                                    ^~~~
)");
  CHECK(advice("advice/priority-class", runtime("{torch: {}}", trainer() + pod + "system-node-critical\n")) ==
        "");
}

TEST_CASE("advice/queue: Kueue and Volcano") {
  const std::string labelled = R"(---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: job
  namespace: team
  labels: {kueue.x-k8s.io/queue-name: gpus}
  annotations: {scheduling.volcano.sh/queue-name: fast}
spec:
  runtimeRef: {name: rt}
  trainer: {}
)";
  CHECK(
      advice("advice/queue", runtime("{torch: {}}", trainer()) + labelled) ==
      R"(in.yaml:27:39: info: the cluster must have the Kueue LocalQueue "gpus" in namespace "team", which can't be checked here [advice/queue]
   27 |   labels: {kueue.x-k8s.io/queue-name: gpus}
      |                                       ^~~~
)");
  CHECK(advice("advice/queue-no-effect", runtime("{torch: {}}", trainer()) + labelled) == "");
  std::string volcano = runtime("{torch: {}}", trainer());
  const std::string start = "  template:\n";
  volcano.replace(volcano.find(start), start.size(),
                  "  podGroupPolicy: {volcano: {}}\n  template:\n"
                  "    metadata: {annotations: {scheduling.volcano.sh/queue-name: slow}}\n");
  CHECK(
      advice("advice/queue-no-effect", volcano + labelled) ==
      R"(in.yaml:30:17: warning: the TrainJob's annotations don't reach its PodGroup: this queue is not used [advice/queue-no-effect]
   30 |   annotations: {scheduling.volcano.sh/queue-name: fast}
      |                 ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ set it in a runtimePatch, under trainingRuntimeSpec.template.metadata.annotations
)");
  CHECK(
      advice("advice/queue", volcano) ==
      R"(in.yaml:11:64: info: the cluster must have the Volcano queue "slow", which can't be checked here [advice/queue]
   11 |     metadata: {annotations: {scheduling.volcano.sh/queue-name: slow}}
      |                                                                ^~~~
)");
  CHECK(advice("advice/queue", runtime("{torch: {}}", trainer()) + job("  trainer: {}\n")) == "");
}

}  // namespace trainjobc::advice_network_test
