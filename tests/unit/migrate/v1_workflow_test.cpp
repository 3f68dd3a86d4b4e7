// SPDX-License-Identifier: Apache-2.0

// v1 jobs as texts in Argo Workflows
#include <doctest/doctest.h>

#include <string>

#include "support/v1_jobs.h"

namespace trainjobc::v1_workflow_test {
using namespace trainjobc::test;

TEST_CASE("migrate v1: a template of a Workflow creates a TrainJob, with what Argo fills in") {
  const std::string workflow = R"(apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: train-}
spec:
  templates:
  # the training step
  - name: train
    resource:
      action: create
      successCondition: status.replicaStatuses.Worker.succeeded == 3
      failureCondition: status.replicaStatuses.Worker.failed > 0
      manifest: |
        # the job
        apiVersion: kubeflow.org/v1
        kind: PyTorchJob
        metadata:
          generateName: fine-tune-
          labels: {workflow: "{{workflow.name}}"}
        spec:
          nprocPerNode: "{{inputs.parameters.gpus}}"
          pytorchReplicaSpecs:
            Worker:
              replicas: 3
              template:
                spec:
                  containers:
                  - name: pytorch
                    image: {{inputs.parameters.image}}
                    # how
                    command: [torchrun, train.py, "--lr={{inputs.parameters.lr}}"]
                    resources: {limits: {nvidia.com/gpu: "{{inputs.parameters.gpus}}"}}
  - name: other
    container: {image: "{{inputs.parameters.image}}"}
)";
  CHECK(written(workflow) == R"(apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: train-}
spec:
  templates:
  # the training step
  - name: train
    resource:
      action: create
      successCondition: status.jobsStatus.0.succeeded = 1
      failureCondition: status.jobsStatus.0.failed > 0
      manifest: |
        # the job
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata:
          generateName: fine-tune-
          labels: {workflow: "{{workflow.name}}"}
        spec:
          runtimeRef:
            name: torch-distributed
          trainer:
            numNodes: 3
            numProcPerNode: {{inputs.parameters.gpus}}
            image: {{inputs.parameters.image}}
            # how
            command: [torchrun, train.py, "--lr={{inputs.parameters.lr}}"]
            env:
            - name: PYTHONUNBUFFERED
              value: "1"
            resourcesPerNode: {limits: {nvidia.com/gpu: "{{inputs.parameters.gpus}}"}}
  - name: other
    container: {image: "{{inputs.parameters.image}}"}
)");
  CHECK(
      said(workflow) ==
      R"(in.yaml:9:15: warning: the Workflow's ServiceAccount must be allowed to create TrainJobs [advice/v1-difference]
    9 |       action: create
      |               ^~~~~~ allow create and get on trainjobs of trainer.kubeflow.org
1 of 1 object migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: the runtime of a CronWorkflow's job stands ahead of it") {
  CHECK(written(R"(apiVersion: argoproj.io/v1alpha1
kind: CronWorkflow
metadata: {name: nightly}
spec:
  workflowSpec:
    templates:
      - name: train
        resource:
          action: create
          failureCondition: status.conditions.0.type = Failed, status.jobsStatus.0.failed > 0
          manifest: |
            apiVersion: kubeflow.org/v1
            kind: PyTorchJob
            metadata: {generateName: a-}
            spec:
              pytorchReplicaSpecs:
                Master:
                  restartPolicy: Never
                  template: {spec: {containers: [{name: pytorch, image: "{{workflow.parameters.image}}", command: [torchrun, a.py]}]}}
)") == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: torch-never-v888w
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
              template:
                spec:
                  containers:
                    - name: node
                  restartPolicy: Never
---
apiVersion: argoproj.io/v1alpha1
kind: CronWorkflow
metadata: {name: nightly}
spec:
  workflowSpec:
    templates:
      - name: train
        resource:
          action: create
          failureCondition: status.conditions.0.type = Failed, status.jobsStatus.0.failed > 0
          manifest: |
            apiVersion: trainer.kubeflow.org/v1alpha1
            kind: TrainJob
            metadata: {generateName: a-}
            spec:
              runtimeRef:
                name: torch-never-v888w
              trainer:
                numNodes: 1
                image: "{{workflow.parameters.image}}"
                command: [torchrun, a.py]
                env:
                  - name: PYTHONUNBUFFERED
                    value: "1"
)");
}

TEST_CASE("migrate v1: a Workflow that can't say the same stays, and no other job uses its runtime") {
  const std::string mpi = R"(  mpiReplicaSpecs:
              Launcher: {template: {spec: {containers: [{name: mpi, image: 'r.io/a:1', command: [mpirun, a]}]}}}
              Worker: {replicas: 2, template: {spec: {containers: [{name: mpi, image: 'r.io/a:1'}]}}}
)";
  V1Run run;
  run.files.files["in.yaml"] = R"(apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: w}
spec:
  templates:
    - name: mpi
      resource:
        action: create
        successCondition: status.replicaStatuses.Launcher.succeeded = 1
        failureCondition: status.conditions.1.type = Failed
        manifest: |
          apiVersion: kubeflow.org/v2beta1
          kind: MPIJob
          metadata: {name: "mpi-{{workflow.name}}"}
          spec:
          )" + mpi + R"(      outputs:
        parameters: [{name: done, valueFrom: {jsonPath: '{.status.completionTime}'}}]
---
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: b}
spec:
          )" + mpi;
  const std::string after = run.write();
  CHECK(
      run.console.err ==
      R"(in.yaml:9:27: error: no condition says that a TrainJob with several Jobs is complete, whether it was suspended or not [migrate/lost]
    9 |         successCondition: status.replicaStatuses.Launcher.succeeded = 1
      |                           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ write status.conditions.0.type = Complete if nothing suspends the job, or status.conditions.1.type = Complete if Kueue creates it suspended
in.yaml:10:27: error: this condition is about the status of a v1 job [migrate/lost]
   10 |         failureCondition: status.conditions.1.type = Failed
      |                           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ say how many pods of a role succeed, or that one fails, such as status.replicaStatuses.Worker.failed > 0
in.yaml:20:57: error: this output is about the fields of a v1 job [migrate/lost]
   20 |         parameters: [{name: done, valueFrom: {jsonPath: '{.status.completionTime}'}}]
      |                                                         ^~~~~~~~~~~~~~~~~~~~~~~~~~ write one about a TrainJob's metadata
1 of 2 objects migrated to Trainer 2.3; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
  CHECK(after.find("kind: ClusterTrainingRuntime") != std::string::npos);
}

TEST_CASE(
    "migrate v1: a runtime has nothing that Argo fills in, and numbers that depend on it are not said") {
  CHECK(
      said(R"(apiVersion: argoproj.io/v1alpha1
kind: WorkflowTemplate
metadata: {name: x}
spec:
  templates:
    - name: mpi
      resource:
        action: create
        manifest: |
          apiVersion: kubeflow.org/v2beta1
          kind: MPIJob
          metadata: {generateName: mpi-}
          spec:
            runPolicy: {schedulingPolicy: {queue: a, minAvailable: {{workflow.parameters.pods}}}}
            mpiReplicaSpecs:
              Launcher: {template: {spec: {containers: [{name: mpi, image: {{workflow.parameters.image}}, command: [mpirun, a]}]}}}
              Worker:
                replicas: {{workflow.parameters.nodes}}
                template: {spec: {containers: [{name: mpi, image: {{workflow.parameters.image}}}]}}
)") ==
      R"(in.yaml:11:17: error: the runtime of this job depends on {{workflow.parameters.image}}, which Argo fills in only here [migrate/lost]
   11 |           kind: MPIJob
      |                 ^~~~~~ write its value
in.yaml:14:68: warning: Trainer starts all … pods of the job together [advice/v1-difference]
   14 |             runPolicy: {schedulingPolicy: {queue: a, minAvailable: {{workflow.parameters.pods}}}}
      |                                                                    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~ remove it
nothing to migrate to Trainer 2.3 in 1 object; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: no secret of a job in a Workflow is shown") {
  V1Run run;
  run.files.files["in.yaml"] = R"(apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: w}
spec:
  templates:
    - name: t
      resource:
        action: create
        manifest: |
          apiVersion: kubeflow.org/v1
          kind: PyTorchJob
          metadata: {generateName: a-}
          spec:
            pytorchReplicaSpecs:
              Worker:
                template:
                  spec:
                    containers: [{name: main, image: 'r.io/a:1', env: [{name: DB_PASSWORD, value: hunter2}]}]
)";
  CHECK(cli::run({"migrate", "--no-config", "in.yaml"}, run.console) == 0);
  CHECK(run.console.out.find("value: ***") != std::string::npos);
  CHECK(run.console.out.find("hunter2") == std::string::npos);
  CHECK(
      run.console.err ==
      R"(in.yaml:8:17: warning: the Workflow's ServiceAccount must be allowed to create TrainJobs [advice/v1-difference]
    8 |         action: create
      |                 ^~~~~~ allow create and get on trainjobs of trainer.kubeflow.org
in.yaml:18:34: warning: Worker has no container "pytorch": the only one is taken for it [advice/v1-difference]
  hint: name it "pytorch"
1 of 1 object would be migrated to Trainer 2.3; --write rewrites the files
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: a job of several roles fails with any of its Jobs") {
  const std::string after = written(R"(apiVersion: argoproj.io/v1alpha1
kind: WorkflowTemplate
metadata: {name: w}
spec:
  templates:
    - name: t
      resource:
        action: create
        successCondition: status.conditions.0.type = Complete
        failureCondition: status.replicaStatuses.Launcher.failed > 0
        manifest: |
          apiVersion: kubeflow.org/v2beta1
          kind: MPIJob
          metadata: {name: a}
          spec:
            mpiReplicaSpecs:
              Launcher: {template: {spec: {containers: [{name: mpi, image: 'r.io/a:1', command: [mpirun, a]}]}}}
              Worker: {replicas: 2, template: {spec: {containers: [{name: mpi, image: 'r.io/a:1'}]}}}
)");
  CHECK(after.find(
            "        successCondition: status.conditions.0.type = Complete\n"
            "        failureCondition: status.jobsStatus.0.failed > 0, status.jobsStatus.1.failed > 0\n") !=
        std::string::npos);
}

}  // namespace trainjobc::v1_workflow_test
