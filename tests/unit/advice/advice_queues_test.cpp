// SPDX-License-Identifier: Apache-2.0

// Advice on names by which Kueue and the schedulers of gangs find a job's pods.
#include <doctest/doctest.h>

#include "support/advice.h"

namespace trainjobc::advice_queues_test {
using trainjobc::test::advice;
using trainjobc::test::fixed;
using trainjobc::test::runtime;
using trainjobc::test::trainer;

namespace {

std::string labelled(const std::string& metadata) {
  return runtime("{torch: {}}", trainer()) + R"(---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: job, )" +
         metadata + "}\nspec: {runtimeRef: {name: rt}}\n";
}

std::string gang(const std::string& policy, const std::string& scheduler, const std::string& more = "") {
  std::string text = runtime("{torch: {}}\n  podGroupPolicy: {" + policy + ": {}}", trainer());
  const std::string containers = "                containers:\n";
  if (!scheduler.empty())
    text.insert(text.find(containers), "                schedulerName: " + scheduler + "\n");
  return text + more;
}

}  // namespace

TEST_CASE("advice/queue-label: other names") {
  CHECK(advice("advice/queue-label", labelled("labels: {kueue.x-k8s.io/queue: a}")) ==
        "in.yaml:24:32: warning: Kueue does not see this queue: it reads the label kueue.x-k8s.io/queue-name "
        "only [advice/queue-label]\n"
        "   24 | metadata: {name: job, labels: {kueue.x-k8s.io/queue: a}}\n"
        "      |                                ^~~~~~~~~~~~~~~~~~~~ write kueue.x-k8s.io/queue-name\n");
  CHECK(advice("advice/queue-label", labelled("annotations: {kueue.x-k8s.io/queue-name: a}")) ==
        "in.yaml:24:37: warning: Kueue does not see this annotation: kueue.x-k8s.io/queue-name is a label "
        "[advice/queue-label]\n"
        "   24 | metadata: {name: job, annotations: {kueue.x-k8s.io/queue-name: a}}\n"
        "      |                                     ^~~~~~~~~~~~~~~~~~~~~~~~~ move it to metadata.labels\n");
  for (const char* key : {"kueue.x-k8s.io/queue_name", "kueue.x-k8s.io/local-queue",
                          "kueue.k8s.io/queue-name", "kueue.x-k8s.io/queue-nmae", "queue_name", "queueName"})
    CHECK_MESSAGE(advice("advice/queue-label", labelled(std::string("labels: {") + key + ": a}")) != "", key);
  CHECK(fixed("advice/queue-label", labelled("labels: {queue_name: a}")) ==
        labelled("labels: {kueue.x-k8s.io/queue-name: a}"));
}

TEST_CASE("advice/queue-label: Kueue's, and others") {
  for (const char* metadata :
       {"labels: {kueue.x-k8s.io/queue-name: a}", "labels: {kueue.x-k8s.io/queue-name: a, queue_name: b}",
        "labels: {kueue.x-k8s.io/priority-class: a}", "labels: {team.example/queue: a}", "labels: {queue: a}",
        "annotations: {scheduling.volcano.sh/queue-name: a}",
        "labels: {kueue.x-k8s.io/queue-name: a}, annotations: {kueue.x-k8s.io/queue-name: a}"})
    CHECK_MESSAGE(advice("advice/queue-label", labelled(metadata)) == "", metadata);
}

TEST_CASE("advice/scheduler-name: what others wait for is no part of the gang") {
  std::string text = gang("volcano", "volcano");
  const std::string jobs = "      replicatedJobs:\n";
  text.insert(text.find(jobs) + jobs.size(), trainjobc::test::replicated_job("prepare", ""));
  CHECK(advice("advice/scheduler-name", text) ==
        "in.yaml:9:20: warning: Volcano does not schedule the pods of \"prepare\", which name no scheduler: "
        "the PodGroup has no effect [advice/scheduler-name]\n"
        "    9 |   podGroupPolicy: {volcano: {}}\n"
        "      |                    ^~~~~~~ add schedulerName: volcano to the pods\n");
  const std::string node = "\n      - name: node\n";
  text.insert(text.find(node) + node.size(), "        dependsOn: [{name: prepare, status: Complete}]\n");
  CHECK(advice("advice/scheduler-name", text) == "");
}

TEST_CASE("advice/scheduler-name") {
  const std::string job = trainjobc::test::job("  trainer: {numNodes: 2}\n");
  CHECK(advice("advice/scheduler-name", gang("volcano", "")) ==
        "in.yaml:9:20: warning: Volcano does not schedule the pods of \"node\", which name no scheduler: the "
        "PodGroup has no effect [advice/scheduler-name]\n"
        "    9 |   podGroupPolicy: {volcano: {}}\n"
        "      |                    ^~~~~~~ add schedulerName: volcano to the pods\n");
  CHECK(advice("advice/scheduler-name", gang("volcano", "default-scheduler", job)) ==
        "in.yaml:9:20: warning: Volcano does not schedule the pods of \"node\", which name "
        "default-scheduler: the PodGroup has no effect [advice/scheduler-name]\n"
        "    9 |   podGroupPolicy: {volcano: {}}\n"
        "      |                    ^~~~~~~ add schedulerName: volcano to the pods\n"
        "  note: the pods' scheduler at in.yaml:19:32\n");
  CHECK(advice("advice/scheduler-name", gang("coscheduling", "volcano")) ==
        "in.yaml:9:20: warning: coscheduling does not schedule the pods of \"node\", which name volcano: the "
        "PodGroup has no effect [advice/scheduler-name]\n"
        "    9 |   podGroupPolicy: {coscheduling: {}}\n"
        "      |                    ^~~~~~~~~~~~ name the scheduler that has the plugin coscheduling\n"
        "  note: the pods' scheduler at in.yaml:19:32\n");
  CHECK(advice("advice/scheduler-name", gang("volcano", "volcano", job)) == "");
  CHECK(advice("advice/scheduler-name", gang("volcano", "my-volcano")) == "");
  CHECK(advice("advice/scheduler-name", gang("coscheduling", "")) == "");
  CHECK(advice("advice/scheduler-name", gang("coscheduling", "scheduler-plugins-scheduler")) == "");
}

}  // namespace trainjobc::advice_queues_test
