// SPDX-License-Identifier: Apache-2.0

// v1 jobs: the runtimes that they become, or use
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "support/v1_jobs.h"

namespace trainjobc::v1_runtimes_test {
using namespace trainjobc::test;

TEST_CASE("migrate v1: a pull policy that the cluster sets by itself needs no runtime") {
  const auto has_runtime = [](const std::string& image, const std::string& policy) {
    const std::string job =
        head("PyTorchJob") + "spec:\n  pytorchReplicaSpecs:\n" +
        replica("Worker", "2", "name: pytorch, image: '" + image + "', imagePullPolicy: " + policy);
    return written(job).find("kind: ClusterTrainingRuntime") != std::string::npos;
  };
  CHECK_FALSE(has_runtime("r.io:5000/a:1", "IfNotPresent"));
  CHECK_FALSE(has_runtime("r.io/a@sha256:1", "IfNotPresent"));
  CHECK_FALSE(has_runtime("r.io:5000/a", "Always"));
  CHECK_FALSE(has_runtime("a:latest", "Always"));
  CHECK(has_runtime("a:1", "Always"));
  CHECK(has_runtime("a", "IfNotPresent"));
  CHECK(has_runtime("a:1", "Never"));
}

TEST_CASE("migrate v1: jobs that differ in what a TrainJob says share a runtime") {
  const std::string never = "      restartPolicy: Never\n";
  const std::string job = torch("", never);
  const std::string other = "---\n" + named(torch("  runPolicy: {suspend: false}\n", never), "b");
  const std::string third = "---\n" + named(torch("  runPolicy: {backoffLimit: 3}\n"), "c");
  CHECK(written(job + other, {"--runtime-name", "team"}) == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: team
  labels:
    trainer.kubeflow.org/framework: torch
spec:
  mlPolicy:
    numNodes: 1
    torch: {}
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata:
              labels:
                trainer.kubeflow.org/trainjob-ancestor-step: trainer
            spec:
              backoffLimit: 0
              template: {spec: {containers: [{name: node}], restartPolicy: Never}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: a}
spec:
  runtimeRef:
    name: team
  trainer:
    numNodes: 2
    image: 'r.io/a:1'
    command: [torchrun, a.py]
    env:
      - name: PYTHONUNBUFFERED
        value: "1"
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: b}
spec:
  suspend: false
  runtimeRef:
    name: team
  trainer:
    numNodes: 2
    image: 'r.io/a:1'
    command: [torchrun, a.py]
    env:
      - name: PYTHONUNBUFFERED
        value: "1"
)");
  CHECK(written(job + third, {"--runtime-name", "team", "--per-namespace"}) ==
        R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata:
  name: team
  labels:
    trainer.kubeflow.org/framework: torch
spec:
  mlPolicy:
    numNodes: 1
    torch: {}
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata:
              labels:
                trainer.kubeflow.org/trainjob-ancestor-step: trainer
            spec:
              backoffLimit: 0
              template: {spec: {containers: [{name: node}], restartPolicy: Never}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: a}
spec:
  runtimeRef:
    name: team
    kind: TrainingRuntime
  trainer:
    numNodes: 2
    image: 'r.io/a:1'
    command: [torchrun, a.py]
    env:
      - name: PYTHONUNBUFFERED
        value: "1"
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata:
  name: team-2
  labels:
    trainer.kubeflow.org/framework: torch
spec:
  mlPolicy:
    numNodes: 1
    torch: {}
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata:
              labels:
                trainer.kubeflow.org/trainjob-ancestor-step: trainer
            spec:
              backoffLimit: 3
              template: {spec: {containers: [{name: node}]}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: c}
spec:
  runtimeRef:
    name: team-2
    kind: TrainingRuntime
  trainer:
    numNodes: 2
    image: 'r.io/a:1'
    command: [torchrun, a.py]
    env:
      - name: PYTHONUNBUFFERED
        value: "1"
)");
}

TEST_CASE("migrate v1: a runtime of the inputs that says the same is used, and completed by patches") {
  const std::string runtime = R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata:
  name: gpus
  labels: {trainer.kubeflow.org/framework: torch}
spec:
  mlPolicy: {numNodes: 4, torch: {}}
  template:
    spec:
      replicatedJobs:
        - name: node
          replicas: 1
          template:
            metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
            spec:
              backoffLimit: 3
              template:
                spec:
                  nodeSelector: {gpu: h100}
                  volumes: [{name: shm, emptyDir: {medium: Memory}}]
                  containers:
                    - name: node
                      image: registry.example.com/torch:2
                      volumeMounts: [{name: shm, mountPath: /dev/shm}]
---
)";
  CHECK(written(runtime + R"(apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: a}
spec:
  runPolicy: {backoffLimit: 3}
  pytorchReplicaSpecs:
    Worker:
      template:
        spec:
          nodeSelector: {gpu: h100}
          containers:
            - name: pytorch
              image: registry.example.com/a:1
              command: [torchrun, a.py]
              volumeMounts: [{name: shm, mountPath: /dev/shm}, {name: data, mountPath: /data}]
          volumes: [{name: shm, emptyDir: {medium: Memory}}, {name: data, emptyDir: {}}]
)")
            .substr(runtime.size()) == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: a}
spec:
  runtimeRef:
    name: gpus
    kind: TrainingRuntime
  trainer:
    numNodes: 1
    image: registry.example.com/a:1
    command: [torchrun, a.py]
    env:
      - name: PYTHONUNBUFFERED
        value: "1"
  runtimePatches:
    - manager: trainer.kubeflow.org/user
      trainingRuntimeSpec:
        template:
          spec:
            replicatedJobs:
              - name: node
                template:
                  spec:
                    template:
                      spec:
                        volumes: [{name: data, emptyDir: {}}]
                        containers:
                          - name: node
                            volumeMounts: [{name: data, mountPath: /data}]
)");
}

// A round of all passes for each of them would take minutes.
TEST_CASE("migrate v1: of many jobs with one name, the first is migrated") {
  std::string text;
  for (int i = 0; i < 100; ++i) {
    if (i > 0) text += "---\n";
    text +=
        head("PyTorchJob") + "spec:\n  pytorchReplicaSpecs:\n" +
        replica(
            "Master", "1",
            "name: pytorch, image: \"i:1\", command: [python, x.py], args: [--n=" + std::to_string(i) + "]");
  }
  V1Run run;
  run.files.files["in.yaml"] = text;
  const std::string after = run.write();
  CHECK(run.status == 1);
  size_t refused = 0;
  const std::string_view why = "error: PyTorchJob/default/a is defined twice [migrate/lost]";
  for (size_t at = run.console.err.find(why); at != std::string::npos; at = run.console.err.find(why, at + 1))
    ++refused;
  CHECK(refused == 99);
  CHECK(after.find("kind: TrainJob") < after.find("--n=0"));
  CHECK(after.find("kind: PyTorchJob") < after.find("--n=1]"));
  CHECK(after.find("kind: TrainJob", after.find("--n=0")) == std::string::npos);
}

TEST_CASE("migrate v1: a runtime that jobs of several files share has a file of its own above them") {
  V1Run run;
  const std::string job = torch("  runPolicy: {ttlSecondsAfterFinished: 60}\n");
  run.files.files["jobs/a/in.yaml"] = job;
  run.files.files["jobs/b/in.yaml"] = named(job, "b");
  CHECK(cli::run({"migrate", "--no-config", "--to", "2.0", "--write", "jobs"}, run.console) == 0);
  CHECK(run.files.files["jobs/a/in.yaml"].find("Runtime\n") == std::string::npos);
  CHECK(run.files.files["jobs/torch-zkptv.yaml"] == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: torch-zkptv
  labels:
    trainer.kubeflow.org/framework: torch
spec:
  mlPolicy:
    numNodes: 1
    torch: {}
  template:
    spec:
      ttlSecondsAfterFinished: 60
      replicatedJobs:
      - name: node
        template:
          metadata:
            labels:
              trainer.kubeflow.org/trainjob-ancestor-step: trainer
          spec:
            template:
              spec:
                containers:
                - name: node
)");
}

}  // namespace trainjobc::v1_runtimes_test
