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
spec: {runPolicy: {suspend: true, backoffLimit: 2}}
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
      replicatedJobs:
      - name: node
        template:
          metadata:
            labels:
              trainer.kubeflow.org/trainjob-ancestor-step: trainer
          spec:
            backoffLimit: 2
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

TEST_CASE("migrate v1: what a TrainJob can't hold in a kustomization is a finding at its line") {
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

TEST_CASE("migrate v1: a patch that makes another object of a job") {
  for (const std::string patch : {"[{op: replace, path: /kind, value: Job}]", "[{op: remove, path: /kind}]",
                                  "{apiVersion: kubeflow.org/v2}", "{kind: null}"}) {
    V1Run run;
    run.files.files["app/job.yaml"] = torch("");
    run.files.files["app/kustomization.yaml"] =
        "resources: [job.yaml]\npatches:\n- target: {name: a}\n  patch: '" + patch + "'\n";
    CHECK(cli::run({"migrate", "--no-config", "app"}, run.console) == 1);
    CHECK(
        run.console.err ==
        "app/kustomization.yaml:4:10: error: the patched object is not a v1 job [migrate/left]\n    4 |   "
        "patch: '" +
            patch + "'\n      |          ^" + std::string(patch.size() + 1, '~') +
            " write a patch of the TrainJob or its runtime, or migrate what is built: kustomize build DIR | "
            "trainjobc migrate -\n1 of 1 object would be migrated to Trainer 2.3; --write rewrites the "
            "files\n"
            "note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/\n");
  }
}

TEST_CASE("migrate v1: the number that replicas: of a kustomization sets is that of nodes") {
  V1Run run;
  run.files.files["app/base/kustomization.yaml"] = "resources: [a.yaml]\n";
  run.files.files["app/base/a.yaml"] = head("PyTorchJob") + "spec:\n  pytorchReplicaSpecs:\n" +
                                       replica("Master", "1", kTorch) + replica("Worker", "2", kTorch);
  run.files.files["app/prod/kustomization.yaml"] =
      "resources: [../base]\nreplicas:\n- name: a\n  count: 7  # with the master\n- {name: b, count: 1}\n"
      "configurations: [fields.yaml]\n";
  run.files.files["app/prod/fields.yaml"] = R"(replicas:
- {kind: PyTorchJob, path: spec/pytorchReplicaSpecs/Worker/replicas}
nameReference:
- kind: ConfigMap
  fieldSpecs:
  - {kind: PyTorchJob, path: spec/pytorchReplicaSpecs/Worker/template/spec/volumes/configMap/name}
commonLabels:
- {kind: PyTorchJob, path: spec/pytorchReplicaSpecs/Worker/template/metadata/labels, create: true}
)";
  CHECK(cli::run({"migrate", "--no-config", "--write", "app"}, run.console) == 1);
  CHECK(run.files.files["app/prod/kustomization.yaml"] ==
        "resources: [../base]\nreplicas:\n- name: a\n  count: 8  # with the master\n- {name: b, count: 1}\n"
        "configurations: [fields.yaml, trainer-kustomize.yaml]\n");
  const std::string& told = run.files.files["app/prod/trainer-kustomize.yaml"];
  CHECK(told.find("- {kind: TrainJob, path: spec/trainer/numNodes, create: true}\n") != std::string::npos);
  CHECK(told.find("volumes/configMap/name}\n") != std::string::npos);
  CHECK(
      run.console.err ==
      R"(app/prod/fields.yaml:8:10: error: the kustomization names the kind PyTorchJob, which becomes TrainJob [migrate/left]
    8 | - {kind: PyTorchJob, path: spec/pytorchReplicaSpecs/Worker/template/metadata/labels, create: true}
      |          ^~~~~~~~~~ name TrainJob instead, and fields of a TrainJob
1 of 1 object migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: patches and numbers that no TrainJob takes over") {
  const std::string sidecar = kTorch + "}, {name: log, image: 'r.io/log:1'";
  V1Run run;
  run.files.files["app/base/kustomization.yaml"] = "resources: [a.yaml, b.yaml, c.yaml, d.yaml]\n";
  run.files.files["app/base/a.yaml"] = head("TFJob") +
                                       "spec:\n  enableDynamicWorker: true\n  tfReplicaSpecs:\n" +
                                       replica("Worker", "2", "name: tensorflow, image: 'r.io/a:1'");
  const std::string jobs = head("PyTorchJob") + "spec:\n  pytorchReplicaSpecs:\n";
  run.files.files["app/base/b.yaml"] = named(jobs + replica("Worker", "2", sidecar), "b");
  run.files.files["app/base/c.yaml"] = named(jobs + replica("Worker", "3", sidecar), "c");
  run.files.files["app/base/d.yaml"] =
      named(jobs + replica("Master", "1",
                           "name: pytorch, image: 'r.io/a:1', command: [python, a.py]}, "
                           "{name: log, image: 'r.io/log:2'"),
            "d");
  run.files.files["app/prod/kustomization.yaml"] = R"(resources: [../base]
replicas: [{name: d, count: 2}]
configurations: [fields.yaml]
patches:
- target: {kind: TFJob}
  patch: |-
    - {op: replace, path: /spec/tfReplicaSpecs/Worker/replicas, value: 3}
- target: {kind: PyTorchJob, name: b}
  patch: |-
    - {op: replace, path: /spec/pytorchReplicaSpecs/Worker/template/spec/containers/1/image, value: log}
- target: {kind: PyTorchJob, name: c}
  patch: |-
    - {op: replace, path: /spec/pytorchReplicaSpecs/Worker/replicas, value: 0}
- target: {kind: PyTorchJob, name: d}
  path: log.yaml
- target: {kind: PyTorchJob, name: d}
  path: clean.yaml
)";
  run.files.files["app/prod/fields.yaml"] =
      "replicas: [{kind: PyTorchJob, path: spec/pytorchReplicaSpecs/Master/replicas, create: true}]\n";
  run.files.files["app/prod/log.yaml"] =
      "- {op: replace, path: /spec/pytorchReplicaSpecs/Master/template/spec/containers/1/image, value: "
      "log}\n";
  run.files.files["app/prod/clean.yaml"] =
      "- {op: add, path: /spec/runPolicy, value: {cleanPodPolicy: Running}}\n";
  CHECK(cli::run({"migrate", "--no-config", "--write", "app"}, run.console) == 1);
  CHECK(run.console.err ==
        R"(app/base/a.yaml:5:24: error: Trainer has a fixed number of workers [migrate/lost]
    5 |   enableDynamicWorker: true
      |                        ^~~~ remove it
app/prod/clean.yaml:1:1: error: this patch changes nothing of the TrainJob [migrate/left]
    1 | - {op: add, path: /spec/runPolicy, value: {cleanPodPolicy: Running}}
      | ^ remove it
app/prod/kustomization.yaml:2:12: error: no field of the TrainJob holds this number [migrate/left]
    2 | replicas: [{name: d, count: 2}]
      |            ^ write a patch of the TrainJob or its runtime, or migrate what is built: kustomize build DIR | trainjobc migrate -
app/prod/kustomization.yaml:6:10: error: the job that this patches stays as it is [migrate/left]
    6 |   patch: |-
      |          ^~ migrate the job with it
app/prod/kustomization.yaml:9:10: error: other jobs use the runtime b-torch, which this patch would change [migrate/left]
    9 |   patch: |-
      |          ^~ write a patch of the TrainJob or its runtime, or migrate what is built: kustomize build DIR | trainjobc migrate -
app/prod/kustomization.yaml:12:10: error: the patched job can't be converted: the job has no pods [migrate/left]
   12 |   patch: |-
      |          ^~
app/prod/log.yaml:1:1: error: this patch is about the runtime now [migrate/left]
    1 | - {op: replace, path: /spec/pytorchReplicaSpecs/Master/template/spec/containers/1/image, value: log}
      | ^ write a patch of TrainingRuntime d-torch
3 of 4 objects migrated to Trainer 2.3; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

}  // namespace trainjobc::v1_kustomize_test
