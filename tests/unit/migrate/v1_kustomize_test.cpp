// SPDX-License-Identifier: Apache-2.0

// Kustomizations of v1 jobs
#include <doctest/doctest.h>

#include <string>

#include "support/v1_jobs.h"

namespace trainjobc::v1_kustomize_test {
using namespace trainjobc::test;

TEST_CASE("migrate v1: kustomize is told of TrainJobs, and patches are theirs") {
  V1Run run;
  run.files.files["app/base/kustomization.yaml"] = "resources: [job.yaml]\n";
  run.files.files["app/base/job.yaml"] = torch("");
  run.files.files["app/prod/kustomization.yaml"] = R"(resources: [../base]
namePrefix: prod-
images: [{name: r.io/a, newTag: '2'}]
patches:
# Ten nodes.
- target: {group: kubeflow.org, version: v1, kind: PyTorchJob, name: a}
  patch: |-
    - {op: replace, path: /spec/pytorchReplicaSpecs/Worker/replicas, value: 10}
- path: later.yaml
)";
  run.files.files["app/prod/later.yaml"] = R"(# Not yet.
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: a}
spec: {runPolicy: {suspend: true, ttlSecondsAfterFinished: 60}}
)";
  CHECK(cli::run({"migrate", "--no-config", "--write", "app"}, run.console) == 0);
  CHECK(run.console.err == R"(1 of 1 object migrated to Trainer 2.3
)");
  CHECK(run.files.files["app/prod/kustomization.yaml"] == R"(resources: [../base, a-torch.yaml]
namePrefix: prod-
images: [{name: r.io/a, newTag: '2'}]
patches:
# Ten nodes.
- target: {group: trainer.kubeflow.org, version: v1alpha1, kind: TrainJob, name: a}
  patch: |
    - op: replace
      path: /spec/trainer/numNodes
      value: 10
- path: later.yaml
configurations:
- trainer-kustomize.yaml
)");
  CHECK(run.files.files["app/prod/later.yaml"] == R"(# Not yet.
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: a
spec:
  runtimeRef:
    name: a-torch
    kind: TrainingRuntime
  suspend: true
)");
  CHECK(run.files.files["app/prod/a-torch.yaml"] == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata:
  name: a-torch
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
  CHECK(run.files.files["app/prod/trainer-kustomize.yaml"] ==
        R"(# Where TrainJobs name images and runtimes: kustomize does not know them.
images:
- {kind: TrainJob, path: spec/trainer/image}
nameReference:
- group: trainer.kubeflow.org
  kind: TrainingRuntime
  fieldSpecs:
  - {kind: TrainJob, path: spec/runtimeRef/name}
- group: trainer.kubeflow.org
  kind: ClusterTrainingRuntime
  fieldSpecs:
  - {kind: TrainJob, path: spec/runtimeRef/name}
)");
}

TEST_CASE("migrate v1: a sidecar's runtime belongs to the base, and its patches to the overlay") {
  V1Run run;
  run.files.files["app/base/kustomization.yaml"] = "resources: [job.yaml]\n";
  run.files.files["app/base/job.yaml"] = R"(apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: a}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        spec:
          containers:
          - {name: pytorch, image: 'r.io/a:1', command: [torchrun, a.py]}
          - {name: logs, image: 'r.io/logs:1'}
)";
  run.files.files["app/prod/kustomization.yaml"] = R"(resources: [../base]
patches:
- target: {kind: PyTorchJob}
  patch: |-
    - {op: replace, path: /spec/pytorchReplicaSpecs/Worker/template/spec/containers/1/image, value: 'r.io/logs:2'}
    - {op: replace, path: /spec/pytorchReplicaSpecs/Worker/replicas, value: 3}
)";
  CHECK(cli::run({"migrate", "--no-config", "--write", "app"}, run.console) == 0);
  CHECK(run.files.files["app/base/job.yaml"] == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata:
  name: a-torch
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
            template:
              spec:
                containers:
                - {name: node}
                - {name: logs, image: 'r.io/logs:1'}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: a}
spec:
  runtimeRef:
    name: a-torch
    kind: TrainingRuntime
  trainer:
    numNodes: 2
    image: 'r.io/a:1'
    command: [torchrun, a.py]
    env:
    - name: PYTHONUNBUFFERED
      value: "1"
)");
  CHECK(run.files.files["app/prod/kustomization.yaml"] == R"(resources: [../base]
patches:
- target: {kind: TrainJob}
  patch: |
    - op: replace
      path: /spec/trainer/numNodes
      value: 3
- target:
    kind: TrainingRuntime
    name: a-torch
  patch: |
    - op: replace
      path: /spec/template/spec/replicatedJobs/0/template/spec/template/spec/containers/1/image
      value: r.io/logs:2
)");
}

TEST_CASE("migrate v1: what can't be said of a TrainJob in a kustomization is a finding at its line") {
  V1Run run;
  run.files.files["app/base/kustomization.yaml"] = "resources: [a.yaml, b.yaml]\n";
  run.files.files["app/base/a.yaml"] = torch("");
  run.files.files["app/base/b.yaml"] = R"(apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: b}
spec:
  pytorchReplicaSpecs:
)" + replica("Master", "1", kTorch) + replica("Worker", "2", kTorch);
  run.files.files["app/prod/kustomization.yaml"] = R"(resources: [../base]
patches:
- target: {kind: PyTorchJob}  # a has no master
  patch: |-
    - {op: replace, path: /spec/pytorchReplicaSpecs/Worker/replicas, value: 3}
- target: {kind: TFJob}
  patch: |-
    - {op: remove, path: /spec/runPolicy}
- target: {kind: PyTorchJob, name: a}
  patch: |-
    - {op: test, path: /metadata/name, value: a}
replacements:
- source: {kind: PyTorchJob, name: b, fieldPath: spec.pytorchReplicaSpecs.Worker.replicas}
  targets:
  - select: {kind: PyTorchJob, name: a}
    fieldPaths: [spec.pytorchReplicaSpecs.Worker.replicas]
vars:
- name: JOB
  objref: {apiVersion: kubeflow.org/v1, kind: PyTorchJob, name: a}
)";
  CHECK(cli::run({"migrate", "--no-config", "--write", "app"}, run.console) == 1);
  CHECK(
      run.console.err ==
      R"(app/prod/kustomization.yaml:4:10: error: this patch does something else to the TrainJob of each job [migrate/left]
    4 |   patch: |-
      |          ^~ write a patch for each of them
app/prod/kustomization.yaml:6:18: error: the kustomization names the kind TFJob, which becomes TrainJob [migrate/left]
    6 | - target: {kind: TFJob}
      |                  ^~~~~ name TrainJob instead, and fields of a TrainJob
app/prod/kustomization.yaml:10:10: error: what this patch does to the job is not known [migrate/left]
   10 |   patch: |-
      |          ^~ write a patch of the TrainJob or its runtime, or migrate what is built: kustomize build DIR | trainjobc migrate -
app/prod/kustomization.yaml:13:11: error: what this replaces has no single place in the TrainJob [migrate/left]
   13 | - source: {kind: PyTorchJob, name: b, fieldPath: spec.pytorchReplicaSpecs.Worker.replicas}
      |           ^ write a patch of the TrainJob or its runtime, or migrate what is built: kustomize build DIR | trainjobc migrate -
app/prod/kustomization.yaml:19:47: error: the kustomization names the kind PyTorchJob, which becomes TrainJob [migrate/left]
   19 |   objref: {apiVersion: kubeflow.org/v1, kind: PyTorchJob, name: a}
      |                                               ^~~~~~~~~~ name TrainJob instead, and fields of a TrainJob
2 of 2 objects migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

}  // namespace trainjobc::v1_kustomize_test
