// SPDX-License-Identifier: Apache-2.0

// Advice on runtimes: labels, images, GPUs, MPI's jobs, numbers of pods.
#include <doctest/doctest.h>

#include "support/advice.h"

namespace trainjobc::advice_runtime_test {
using trainjobc::test::advice;
using trainjobc::test::fixed;
using trainjobc::test::job;
using trainjobc::test::replicated_job;
using trainjobc::test::runtime;
using trainjobc::test::trainer;

namespace {

constexpr const char* kUnlabelled = R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: rt
spec:
  mlPolicy: {torch: {}}
  template: {spec: {}}
)";

}  // namespace

TEST_CASE("advice/framework-label: a runtime without the label") {
  CHECK(
      advice("advice/framework-label", kUnlabelled) ==
      R"(in.yaml:4:9: warning: runtime "rt" has no label trainer.kubeflow.org/framework: the Kubeflow SDK ignores it [advice/framework-label]
    4 |   name: rt
      |         ^~ add trainer.kubeflow.org/framework: torch
)");
  CHECK(fixed("advice/framework-label", kUnlabelled) == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  labels: {trainer.kubeflow.org/framework: torch}
  name: rt
spec:
  mlPolicy: {torch: {}}
  template: {spec: {}}
)");
  CHECK(advice("advice/framework-label", fixed("advice/framework-label", kUnlabelled)) == "");
}

TEST_CASE("advice/framework-label: next to other labels, in JSON, and for an unknown framework") {
  const std::string labelled = R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: rt
  labels:  # ours
    team: a
spec: {mlPolicy: {jax: {}}, template: {spec: {}}}
)";
  CHECK(fixed("advice/framework-label", labelled) == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: rt
  labels:  # ours
    trainer.kubeflow.org/framework: jax
    team: a
spec: {mlPolicy: {jax: {}}, template: {spec: {}}}
)");
  const std::string json =
      R"({"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "ClusterTrainingRuntime",
 "metadata": {
   "name": "rt"}, "spec": {"mlPolicy": {"xgboost": {}}, "template": {"spec": {}}}}
)";
  CHECK(fixed("advice/framework-label", json) ==
        R"({"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "ClusterTrainingRuntime",
 "metadata": {
   "labels": {"trainer.kubeflow.org/framework": "xgboost"}, "name": "rt"}, "spec": {"mlPolicy": {"xgboost": {}}, "template": {"spec": {}}}}
)");
  CHECK(advice("advice/framework-label", fixed("advice/framework-label", json)) == "");
  const std::string plain = R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: rt
  labels: {team: a}
spec: {template: {spec: {}}}
)";
  CHECK(
      advice("advice/framework-label", plain) ==
      R"(in.yaml:5:3: warning: runtime "rt" has no label trainer.kubeflow.org/framework: the Kubeflow SDK ignores it [advice/framework-label]
    5 |   labels: {team: a}
      |   ^~~~~~ add trainer.kubeflow.org/framework with the framework, such as mpi or deepspeed
)");
  CHECK(fixed("advice/framework-label", plain) == plain);
}

TEST_CASE("advice/framework-label: not of runtimes that aren't inputs") {
  CHECK(advice("advice/framework-label", job(""), {{"rt.yaml", kUnlabelled}}) == "");
}

TEST_CASE("advice/kueue-label: a queue on a runtime") {
  const std::string text = R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: rt
  labels:
    trainer.kubeflow.org/framework: torch
    kueue.x-k8s.io/queue-name: team
spec: {template: {spec: {}}}
)";
  CHECK(
      advice("advice/kueue-label", text) ==
      R"(in.yaml:7:5: warning: Kueue does not see a queue named on a runtime: the runtime's labels reach no job [advice/kueue-label]
    7 |     kueue.x-k8s.io/queue-name: team
      |     ^~~~~~~~~~~~~~~~~~~~~~~~~ label each TrainJob instead
)");
  CHECK(advice("advice/kueue-label", kUnlabelled) == "");
}

TEST_CASE("advice/image-tag: no tag, latest, and pinned images") {
  const auto of_image = [](const std::string& image) {
    return advice("advice/image-tag",
                  runtime("{torch: {}}", trainer()) + job("  trainer:\n    image: " + image + "\n"));
  };
  CHECK(
      of_image("reg:5000/team/img") ==
      R"(in.yaml:29:12: warning: image "reg:5000/team/img" has no tag: every pull gets whatever is "latest" at that moment [advice/image-tag]
   29 |     image: reg:5000/team/img
      |            ^~~~~~~~~~~~~~~~~ pin a version or a digest
)");
  CHECK(
      of_image("img:latest") ==
      R"(in.yaml:29:12: warning: image "img:latest" changes with each release: nodes may run different versions [advice/image-tag]
   29 |     image: img:latest
      |            ^~~~~~~~~~ pin a version or a digest
)");
  CHECK(of_image("reg:5000/img:1.2") == "");
  CHECK(of_image("img@sha256:0123456789012345678901234567890123456789012345678901234567890123") == "");
  CHECK(of_image("\"${IMAGE}\"") == "");
  const std::string init = "                initContainers: [{name: prepare, image: busybox}]\n";
  CHECK(
      advice("advice/image-tag", runtime("{torch: {}}", trainer() + init)) ==
      R"(in.yaml:21:57: warning: image "busybox" has no tag: every pull gets whatever is "latest" at that moment [advice/image-tag]
   21 |                 initContainers: [{name: prepare, image: busybox}]
      |                                                         ^~~~~~~ pin a version or a digest
)");
}

TEST_CASE("advice/gpu-limit: a request without a limit") {
  const std::string resources =
      "                  resources:\n                    requests: {cpu: 4, nvidia.com/gpu: 2}\n";
  const std::string text = runtime("{torch: {}}", trainer(resources));
  CHECK(
      advice("advice/gpu-limit", text) ==
      R"(in.yaml:22:40: warning: jobs that don't limit nvidia.com/gpu themselves would be refused: nvidia.com/gpu is requested without a limit [advice/gpu-limit]
   22 |                     requests: {cpu: 4, nvidia.com/gpu: 2}
      |                                        ^~~~~~~~~~~~~~ add limits: {nvidia.com/gpu: 2}
)");
  const std::string with_limit = fixed("advice/gpu-limit", text);
  CHECK(with_limit == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: rt
  labels:
    trainer.kubeflow.org/framework: torch
spec:
  mlPolicy: {torch: {}}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            template:
              spec:
                containers:
                - name: node
                  image: img:1
                  resources:
                    limits: {nvidia.com/gpu: 2}
                    requests: {cpu: 4, nvidia.com/gpu: 2}
)");
  CHECK(advice("advice/gpu-limit", with_limit) == "");
}

TEST_CASE("advice/gpu-limit: another limit, and a job's own error") {
  const auto of_resources = [](const std::string& resources) {
    return runtime("{torch: {}}", trainer("                  resources: " + resources + "\n"));
  };
  CHECK(
      advice("advice/gpu-limit", of_resources("{requests: {amd.com/gpu: 2}, limits: {amd.com/gpu: 4}}")) ==
      R"(in.yaml:21:42: warning: jobs that don't set amd.com/gpu themselves would be refused: its limit, 4, does not equal its request, 2 [advice/gpu-limit]
   21 |                   resources: {requests: {amd.com/gpu: 2}, limits: {amd.com/gpu: 4}}
      |                                          ^~~~~~~~~~~ extended resources need a limit equal to the request
)");
  CHECK(fixed("advice/gpu-limit", of_resources("{limits: {cpu: 1}, requests: {amd.com/gpu: 2}}")) ==
        R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: rt
  labels:
    trainer.kubeflow.org/framework: torch
spec:
  mlPolicy: {torch: {}}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            template:
              spec:
                containers:
                - name: node
                  image: img:1
                  resources: {limits: {amd.com/gpu: 2, cpu: 1}, requests: {amd.com/gpu: 2}}
)");
  CHECK(advice("advice/gpu-limit",
               of_resources("{requests: {amd.com/gpu: \"2\"}, limits: {amd.com/gpu: 2}}")) == "");
  CHECK(advice("advice/gpu-limit",
               of_resources("{requests: {cpu: 2, hugepages-2Mi: 4Mi, x.kubernetes.io/y: 1}}")) == "");
  CHECK(advice("advice/gpu-limit", of_resources("{requests: {amd.com/gpu: 2}}") + job("  trainer: {}\n")) ==
        "");
}

TEST_CASE("advice/mpi-jobs: a missing job, a container of another name") {
  CHECK(
      advice("advice/mpi-jobs",
             runtime("{mpi: {}}", "      replicatedJobs:\n" + replicated_job("launch", "trainer"))) ==
      R"(in.yaml:11:7: warning: the MPI runtime has no replicatedJob "launcher": nothing gets the hostfile [advice/mpi-jobs]
   11 |       replicatedJobs:
      |       ^~~~~~~~~~~~~~ rename "launch"
in.yaml:11:7: warning: the MPI runtime has no replicatedJob "node": the hostfile lists no host [advice/mpi-jobs]
   11 |       replicatedJobs:
      |       ^~~~~~~~~~~~~~ add a replicatedJob "node"
)");
  const std::string launcher = R"(      replicatedJobs:
      - name: launcher
        template: {spec: {template: {spec: {containers: [{name: mpirun, image: "img:1"}]}}}}
)";
  CHECK(
      advice("advice/mpi-jobs", runtime("{mpi: {runLauncherAsNode: true}}", launcher)) ==
      R"(in.yaml:13:65: warning: replicatedJob "launcher" has no container "node": Trainer mounts the SSH key and the hostfile only there [advice/mpi-jobs]
   13 |         template: {spec: {template: {spec: {containers: [{name: mpirun, image: "img:1"}]}}}}
      |                                                                 ^~~~~~ name it "node"
)");
  const std::string both =
      "      replicatedJobs:\n" + replicated_job("launcher", "trainer") + replicated_job("node", "");
  CHECK(advice("advice/mpi-jobs", runtime("{mpi: {}}", both)) == "");
  CHECK(advice("advice/mpi-jobs", runtime("{torch: {}}", trainer())) == "");
}

TEST_CASE("advice/mpi-num-nodes: the runtime's number counts launchers") {
  const std::string both =
      "      replicatedJobs:\n" + replicated_job("launcher", "trainer") + replicated_job("node", "");
  CHECK(
      advice("advice/mpi-num-nodes", runtime("{numNodes: 4, mpi: {runLauncherAsNode: true}}", both)) ==
      R"(in.yaml:8:24: warning: numNodes: 4 starts 4 launchers; the number of nodes does not change [advice/mpi-num-nodes]
    8 |   mlPolicy: {numNodes: 4, mpi: {runLauncherAsNode: true}}
      |                        ^ write 1; the TrainJob's numNodes counts nodes
)");
  CHECK(advice("advice/mpi-num-nodes", runtime("{numNodes: 1, mpi: {}}", both)) == "");
  const std::string nodes_train =
      "      replicatedJobs:\n" + replicated_job("launcher", "") + replicated_job("node", "trainer");
  CHECK(advice("advice/mpi-num-nodes", runtime("{numNodes: 4, mpi: {}}", nodes_train)) == "");
}

TEST_CASE("advice/second-trainer: two replicatedJobs that train") {
  const std::string two =
      "      replicatedJobs:\n" + replicated_job("node", "trainer") + replicated_job("more", "trainer");
  CHECK(
      advice("advice/second-trainer", runtime("{torch: {}}", two)) ==
      R"(in.yaml:23:76: warning: replicatedJob "more" also trains, but the TrainJob's numNodes and the framework's variables go only to "node" [advice/second-trainer]
   23 |           metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
      |                                                                            ^~~~~~~ train in one replicatedJob
  note: the first one at in.yaml:14:76
)");
  CHECK(advice("advice/second-trainer", runtime("{torch: {}}", trainer())) == "");
}

TEST_CASE("advice/pod-count: numbers that are replaced") {
  const auto with_counts = [](const std::string& policy, const std::string& ancestor,
                              const std::string& counts) {
    std::string jobs = "      replicatedJobs:\n" + replicated_job("node", ancestor);
    const std::string spec = "          spec:\n";
    return runtime(policy, jobs.replace(jobs.find(spec), spec.size(), spec + counts));
  };
  CHECK(
      advice("advice/pod-count",
             with_counts("{numNodes: 2, torch: {}}", "trainer", "            parallelism: 4\n")) ==
      R"(in.yaml:16:26: warning: parallelism: 4 has no effect: numNodes, 2 unless the TrainJob says otherwise, replaces it [advice/pod-count]
   16 |             parallelism: 4
      |                          ^ remove it
)");
  CHECK(
      advice("advice/pod-count",
             with_counts("", "", "            parallelism: 2\n            completions: 6\n")) ==
      R"(in.yaml:15:26: warning: completions: 6 has no effect: the parallelism, 2, replaces it [advice/pod-count]
   15 |             completions: 6
      |                          ^ remove it
)");
  CHECK(advice("advice/pod-count", with_counts("{numNodes: 2}", "trainer",
                                               "            parallelism: 2\n            completions: 2\n")) ==
        "");
}

}  // namespace trainjobc::advice_runtime_test
