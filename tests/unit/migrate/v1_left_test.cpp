// SPDX-License-Identifier: Apache-2.0

// v1 jobs in older versions of the API, inside other objects, and in what can't be read
#include <doctest/doctest.h>

#include <string>

#include "support/v1_jobs.h"

namespace trainjobc::v1_left_test {
using namespace trainjobc::test;

TEST_CASE("migrate v1: PyTorchJob v1beta2 has the run policy in its spec") {
  CHECK(written(R"(apiVersion: kubeflow.org/v1beta2
kind: PyTorchJob
metadata: {name: a}
spec:
  ttlSecondsAfterFinished: 60
  activeDeadlineSeconds: 3600
  pytorchReplicaSpecs:
)" + replica("Worker", "2", kTorch)) == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: a}
spec:
  activeDeadlineSeconds: 3600
  runtimeRef:
    name: torch-distributed
  trainer:
    numNodes: 2
    image: 'r.io/a:1'
    command: [torchrun, a.py]
    env:
      - name: PYTHONUNBUFFERED
        value: "1"
)");
}

TEST_CASE("migrate v1: TFJob v1alpha1 lists its replicas") {
  CHECK(written(R"(apiVersion: kubeflow.org/v1alpha1
kind: TFJob
metadata: {name: a}
spec:
  replicaSpecs:
    - replicas: 1
      tfReplicaType: MASTER
      template: {spec: {containers: [{name: tensorflow, image: 'r.io/a:1'}], restartPolicy: OnFailure}}
)") == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: tensorflow-x8qrj
  labels:
    trainer.kubeflow.org/framework: tensorflow
spec:
  mlPolicy:
    numNodes: 1
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata:
              labels:
                trainer.kubeflow.org/trainjob-ancestor-step: trainer
            spec:
              template: {spec: {containers: [{name: node}]}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: a}
spec:
  runtimeRef:
    name: tensorflow-x8qrj
  trainer:
    numNodes: 1
    image: 'r.io/a:1'
)");
  CHECK(said(R"(apiVersion: kubeflow.org/v1alpha1
kind: TFJob
metadata: {name: a}
spec:
  replicaSpecs:
    - tfReplicaType: HELPER
      template: {spec: {containers: [{name: tensorflow, image: 'r.io/a:1'}]}}
)") == R"(in.yaml:6:22: error: TFJob has no replicas "helper" [migrate/lost]
    6 |     - tfReplicaType: HELPER
      |                      ^~~~~~ it has Chief, Master, PS, Worker, Evaluator
nothing to migrate to Trainer 2.3 in 1 object; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: MPIJob v1alpha1 has one template") {
  CHECK(written(R"(apiVersion: kubeflow.org/v1alpha1
kind: MPIJob
metadata: {name: a}
spec:
  gpus: 16
  gpusPerNode: 8
  template:
    spec:
      containers:
        - name: mpi
          image: r.io/a:1
          command: [mpirun, a]
)",
                {"--root-key", "keep"}) == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: mpi-openmpi-gpu-ktgt7
  labels:
    trainer.kubeflow.org/framework: mpi
spec:
  mlPolicy:
    numNodes: 1
    mpi:
      mpiImplementation: OpenMPI
      numProcPerNode: 1
      runLauncherAsNode: false
      sshAuthMountPath: /root/.ssh
  template:
    spec:
      successPolicy:
        operator: All
        targetReplicatedJobs:
          - launcher
      replicatedJobs:
        - name: node
          template:
            spec:
              backoffLimit: 0
              template:
                spec:
                  containers:
                    - name: node
                      image: r.io/a:1
                      resources:
                        limits:
                          nvidia.com/gpu: 8
                      command:
                        - /usr/sbin/sshd
                        - -De
                  restartPolicy: Never
        - name: launcher
          template:
            metadata:
              labels:
                trainer.kubeflow.org/trainjob-ancestor-step: trainer
            spec:
              template:
                spec:
                  containers:
                    - name: node
                      image: r.io/a:1
                      env:
                        - name: NVIDIA_VISIBLE_DEVICES
                          value: ""
                        - name: NVIDIA_DRIVER_CAPABILITIES
                          value: ""
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: a}
spec:
  runtimeRef:
    name: mpi-openmpi-gpu-ktgt7
  trainer:
    numNodes: 2
    numProcPerNode: 8
    command: [mpirun, a]
)");
  CHECK(said(R"(apiVersion: kubeflow.org/v1alpha1
kind: MPIJob
metadata: {name: a}
spec:
  gpus: 16
  template: {spec: {containers: [{name: mpi, image: 'r.io/a:1'}]}}
)") == R"(in.yaml:5:9: error: the number of workers depends on the operator's settings [migrate/lost]
    5 |   gpus: 16
      |         ^~ write spec.gpusPerNode, or spec.replicas
nothing to migrate to Trainer 2.3 in 1 object; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: the trials of a Katib Experiment") {
  const std::string experiment = R"(apiVersion: kubeflow.org/v1beta1
kind: Experiment
metadata: {name: a}
spec:
  trialTemplate:
    primaryContainerName: pytorch
    primaryPodLabels: {training.kubeflow.org/job-role: master}
    successCondition: status.conditions.#(type=="Succeeded")#|#(status=="True")#
    trialSpec:
      apiVersion: kubeflow.org/v1
      kind: PyTorchJob
      spec:
        pytorchReplicaSpecs:
          Worker:
            replicas: 2
            template: {spec: {containers: [{name: pytorch, image: 'r.io/a:1', command: [torchrun, "--lr=${trialParameters.lr}"]}]}}
)";
  CHECK(written(experiment) == R"(apiVersion: kubeflow.org/v1beta1
kind: Experiment
metadata: {name: a}
spec:
  trialTemplate:
    primaryContainerName: node
    trialSpec:
      apiVersion: trainer.kubeflow.org/v1alpha1
      kind: TrainJob
      spec:
        runtimeRef:
          name: torch-distributed
        trainer:
          numNodes: 2
          image: 'r.io/a:1'
          command: [torchrun, "--lr=${trialParameters.lr}"]
          env:
            - name: PYTHONUNBUFFERED
              value: "1"
)");
  CHECK(said(experiment) ==
        R"(in.yaml:11:13: warning: Katib runs TrainJobs from version 0.19 on [advice/v1-difference]
   11 |       kind: PyTorchJob
      |             ^~~~~~~~~~ add TrainJob.v1alpha1.trainer.kubeflow.org to trialResources of an older katib-config
1 of 1 object migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
  std::string other = experiment;
  other.replace(other.find("Succeeded"), 9, "Running");
  CHECK(said(other) == R"(in.yaml:8:23: error: this condition is about the status of a v1 job [migrate/lost]
    8 |     successCondition: status.conditions.#(type=="Running")#|#(status=="True")#
      |                       ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ remove it: Katib knows when a TrainJob is complete or failed
in.yaml:11:13: warning: Katib runs TrainJobs from version 0.19 on [advice/v1-difference]
   11 |       kind: PyTorchJob
      |             ^~~~~~~~~~ add TrainJob.v1alpha1.trainer.kubeflow.org to trialResources of an older katib-config
nothing to migrate to Trainer 2.3 in 1 object; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: jobs inside other objects stay, and are counted") {
  CHECK(said(R"(apiVersion: workload.codeflare.dev/v1beta2
kind: AppWrapper
metadata: {name: a}
spec:
  components:
    - template:
        apiVersion: kubeflow.org/v1
        kind: PyTorchJob
        spec: {}
---
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: b}
spec:
  templates:
    - resource:
        manifest: |
          apiVersion: kubeflow.org/v1
          kind: TFJob
---
apiVersion: kubeflow.org/v1
kind: MXJob
metadata: {name: c}
spec: {}
---
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
patches:
  - target: {kind: PyTorchJob}
    path: patch.yaml
  - patch: |
      apiVersion: kubeflow.org/v1
      kind: MPIJob
      metadata: {name: d}
replacements:
  - targets:
      - select: {group: kubeflow.org, kind: TFJob}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: pytorchjobs.kubeflow.org}
spec: {names: {kind: PyTorchJob}}
)") == R"(in.yaml:8:15: error: the PyTorchJob in this AppWrapper stays as it is [migrate/left]
    8 |         kind: PyTorchJob
      |               ^~~~~~~~~~ take it out of the AppWrapper: Kueue admits TrainJobs themselves, by the label kueue.x-k8s.io/queue-name
in.yaml:19:17: error: the TFJob in this Workflow stays as it is [migrate/left]
   19 |           kind: TFJob
      |                 ^~~~~ migrate the manifest in a file of its own, put the TrainJob here, and let successCondition and failureCondition read the status of a TrainJob
in.yaml:22:7: error: MXJob of kubeflow.org/v1 stays as it is: Trainer has nothing like it [migrate/left]
   22 | kind: MXJob
      |       ^~~~~ keep the old operator for it, or write a runtime and a TrainJob by hand
in.yaml:29:20: error: the kustomization names the kind PyTorchJob, which becomes TrainJob [migrate/left]
   29 |   - target: {kind: PyTorchJob}
      |                    ^~~~~~~~~~ name TrainJob instead, and fields of a TrainJob
in.yaml:33:13: error: the kustomization names the kind MPIJob, which becomes TrainJob [migrate/left]
   33 |       kind: MPIJob
      |             ^~~~~~ name TrainJob instead, and fields of a TrainJob
in.yaml:37:45: error: the kustomization names the kind TFJob, which becomes TrainJob [migrate/left]
   37 |       - select: {group: kubeflow.org, kind: TFJob}
      |                                             ^~~~~ name TrainJob instead, and fields of a TrainJob
nothing to migrate to Trainer 2.3 in 0 objects; 3 v1 jobs stay as they are
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: jobs in templates stay") {
  CHECK(said("{{- if .Values.train }}\n" + torch("") + "{{- end }}\n") ==
        R"(in.yaml:3:7: error: the PyTorchJob in this template stays as it is [migrate/left]
    3 | kind: PyTorchJob
      |       ^~~~~~~~~~ fill it in first: helm template CHART | trainjobc migrate -
nothing to migrate to Trainer 2.3 in 0 objects; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
  CHECK(said("{% if train %}\n" + named(torch(""), "{{ name }}") + "{% endif %}\n") ==
        R"(in.yaml:3:7: error: the PyTorchJob in this template stays as it is [migrate/left]
    3 | kind: PyTorchJob
      |       ^~~~~~~~~~ fill it in first, and migrate the result: … | trainjobc migrate -
nothing to migrate to Trainer 2.3 in 0 objects; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: an Experiment of an older version has its job as a text") {
  CHECK(said(R"(apiVersion: kubeflow.org/v1alpha3
kind: Experiment
metadata: {name: a}
spec:
  trialTemplate:
    goTemplate:
      rawTemplate: |-
        apiVersion: kubeflow.org/v1
        kind: TFJob
)") == R"(in.yaml:9:15: error: the TFJob in this Experiment stays as it is [migrate/left]
    9 |         kind: TFJob
      |               ^~~~~ write it as kubeflow.org/v1beta1, with the job in trialTemplate.trialSpec, and migrate that
nothing to migrate to Trainer 2.3 in 0 objects; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: the mounted key is left to root, with a warning") {
  const std::string mpi = "name: mpi, image: 'r.io/a:1'";
  CHECK(
      said(head("MPIJob", "v2beta1") + "spec:\n  mpiReplicaSpecs:\n" +
               replica("Launcher", "1", mpi + ", command: [mpirun, a]") + replica("Worker", "2", mpi),
           {"--root-key", "keep"}) ==
      R"(in.yaml:2:7: warning: as root, ssh refuses the key that Trainer mounts: others can read it [advice/v1-difference]
    2 | kind: MPIJob
      |       ^~~~~~ run launcher and workers as a user, and mount the key at that user's .ssh; or use --root-key copy
1 of 1 object migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: a job that is alone in an AppWrapper leaves it") {
  V1Run run;
  run.files.files["in.yaml"] = R"(apiVersion: workload.codeflare.dev/v1beta2
kind: AppWrapper
metadata: {name: w, namespace: team, labels: {kueue.x-k8s.io/queue-name: q}}
spec:
  components:
  - template:
      apiVersion: kubeflow.org/v1
      kind: PyTorchJob
      metadata: {name: a}
      spec:
        pytorchReplicaSpecs:
          Worker:
            replicas: 2
            template: {spec: {containers: [{name: pytorch, image: 'r.io/a:1', command: [torchrun, a.py]}]}}
)";
  CHECK(run.write() == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: a, namespace: team, labels: {kueue.x-k8s.io/queue-name: q}}
spec:
  runtimeRef:
    name: torch-distributed
  trainer:
    numNodes: 2
    image: 'r.io/a:1'
    command: [torchrun, a.py]
    env:
    - name: PYTHONUNBUFFERED
      value: "1"
)");
  CHECK(
      run.console.err ==
      R"(in.yaml:2:7: warning: nothing starts the job again as its AppWrapper did, and Kueue admits it by itself [advice/v1-difference]
    2 | kind: AppWrapper
      |       ^~~~~~~~~~ set kueue.x-k8s.io/queue-name if it has to wait for a quota
1 of 1 object migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: what has no pods leaves the AppWrapper with the job") {
  const std::string wrapper = R"(apiVersion: workload.codeflare.dev/v1beta2
kind: AppWrapper
metadata: {name: w, namespace: team, labels: {kueue.x-k8s.io/queue-name: q}}
spec:
  components:
  - template:
      apiVersion: v1
      kind: Service
      metadata: {name: metrics}
      spec:
        selector: {training.kubeflow.org/job-name: a}  # all pods
        ports: [{port: 80}]
  - template:
      apiVersion: kubeflow.org/v1
      kind: PyTorchJob
      metadata: {name: a}
      spec:
        pytorchReplicaSpecs:
          Worker:
            replicas: 2
            template: {spec: {containers: [{name: pytorch, image: 'r.io/a:1', command: [torchrun, a.py]}]}}
)";
  CHECK(written(wrapper) == R"(apiVersion: v1
kind: Service
metadata: {name: metrics, namespace: team}
spec:
  selector: {jobset.sigs.k8s.io/jobset-name: a}  # all pods
  ports: [{port: 80}]
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: a, namespace: team, labels: {kueue.x-k8s.io/queue-name: q}}
spec:
  runtimeRef:
    name: torch-distributed
  trainer:
    numNodes: 2
    image: 'r.io/a:1'
    command: [torchrun, a.py]
    env:
    - name: PYTHONUNBUFFERED
      value: "1"
)");
  CHECK(
      said(wrapper) ==
      R"(in.yaml:2:7: warning: nothing starts the job again as its AppWrapper did, Kueue admits it by itself, and the other objects are created at once and stay [advice/v1-difference]
    2 | kind: AppWrapper
      |       ^~~~~~~~~~ set kueue.x-k8s.io/queue-name if it has to wait for a quota
1 of 1 object migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
  std::string with_pod = wrapper;
  with_pod.replace(with_pod.find("ports: [{port: 80}]"), 19, "containers: [{name: a}]");
  CHECK(said(with_pod) ==
        R"(in.yaml:15:13: error: the PyTorchJob in this AppWrapper stays as it is [migrate/left]
   15 |       kind: PyTorchJob
      |             ^~~~~~~~~~ take it out of the AppWrapper: Kueue admits TrainJobs themselves, by the label kueue.x-k8s.io/queue-name
nothing to migrate to Trainer 2.3 in 0 objects; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: what Katib fills in may be an amount") {
  const std::string after = written(R"(apiVersion: kubeflow.org/v1beta1
kind: Experiment
metadata: {name: a}
spec:
  trialTemplate:
    trialSpec:
      apiVersion: kubeflow.org/v1
      kind: PyTorchJob
      spec:
        pytorchReplicaSpecs:
          Worker:
            replicas: 2
            template: {spec: {containers: [{name: pytorch, image: 'r.io/a:1', command: [torchrun, a.py], resources: {limits: {nvidia.com/gpu: "${trialParameters.gpus}"}}}]}}
)");
  CHECK(after.ends_with(
      "\n          resourcesPerNode: {limits: {nvidia.com/gpu: \"${trialParameters.gpus}\"}}\n"));
}

}  // namespace trainjobc::v1_left_test
