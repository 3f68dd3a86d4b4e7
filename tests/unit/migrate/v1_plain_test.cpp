// SPDX-License-Identifier: Apache-2.0

// v1 jobs whose variables are written out
#include <doctest/doctest.h>

#include <string>

#include "support/v1_jobs.h"

namespace trainjobc::v1_plain_test {
using namespace trainjobc::test;

TEST_CASE("migrate v1: TFJob and PaddleJob are written out") {
  const std::string workers = head("TFJob") + "spec:\n  tfReplicaSpecs:\n" +
                              replica("Worker", "2", "name: tensorflow, image: 'r.io/a:1'");
  CHECK(
      said(workers) ==
      R"(in.yaml:6:5: warning: Trainer does not set TF_CONFIG: the job gets a runtime of its own, with those of its 2 pods [advice/v1-difference]
    6 |     Worker:
      |     ^~~~~~ for another number of pods, migrate the v1 job again
1 of 1 object migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
  CHECK(written(workers, {"--plain"}) == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata:
  name: a
  labels:
    trainer.kubeflow.org/framework: tensorflow
spec:
  template:
    spec:
      successPolicy:
        operator: All
        targetReplicatedJobs:
          - worker
      replicatedJobs:
        - name: worker
          template:
            spec:
              parallelism: 2
              completions: 2
              backoffLimit: 0
              successPolicy:
                rules:
                  - succeededIndexes: "0"
              template: {spec: {containers: [{name: tensorflow, image: 'r.io/a:1', env: [{name: JOBSET_NAME, valueFrom: {fieldRef: {fieldPath: "metadata.labels['jobset.sigs.k8s.io/jobset-name']"}}}, {name: TF_TASK_INDEX, valueFrom: {fieldRef: {fieldPath: "metadata.annotations['batch.kubernetes.io/job-completion-index']"}}}, {name: TF_CONFIG, value: "{\"cluster\":{\"worker\":[\"$(JOBSET_NAME)-worker-0-0.$(JOBSET_NAME):2222\",\"$(JOBSET_NAME)-worker-0-1.$(JOBSET_NAME):2222\"]},\"task\":{\"type\":\"worker\",\"index\":$(TF_TASK_INDEX)},\"environment\":\"cloud\"}"}]}], restartPolicy: Never}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: a}
spec:
  runtimeRef:
    name: a
    kind: TrainingRuntime
)");
  CHECK(said(head("TFJob") + "spec:\n  enableDynamicWorker: true\n  tfReplicaSpecs:\n" +
             replica("Worker", "2", "name: tensorflow, image: 'r.io/a:1'")) ==
        R"(in.yaml:5:24: error: Trainer has a fixed number of workers [migrate/lost]
    5 |   enableDynamicWorker: true
      |                        ^~~~ remove it
nothing to migrate to Trainer 2.3 in 1 object; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
  const std::string paddle = head("PaddleJob") +
                             "spec:\n  elasticPolicy: {minReplicas: 1}\n  paddleReplicaSpecs:\n" +
                             replica("Worker", "3", "name: paddle, image: 'r.io/a:1'");
  CHECK(
      said(paddle) ==
      R"(in.yaml:5:18: warning: Trainer 2.3 has no elastic training: the job runs on 3 nodes [advice/v1-difference]
    5 |   elasticPolicy: {minReplicas: 1}
      |                  ^ remove it
in.yaml:7:5: warning: Trainer does not set PADDLE_MASTER and PADDLE_NNODES: the job gets a runtime of its own, with those of its 3 pods [advice/v1-difference]
    7 |     Worker:
      |     ^~~~~~ for another number of pods, migrate the v1 job again
1 of 1 object migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
  V1Run run;
  run.files.files["in.yaml"] = paddle;
  CHECK(run.write({"--plain"}) == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata:
  name: a
  labels:
    trainer.kubeflow.org/framework: paddle
spec:
  template:
    spec:
      replicatedJobs:
        - name: master
          template:
            spec:
              parallelism: 1
              completions: 1
              template: {spec: {containers: [{name: paddle, image: 'r.io/a:1', env: [{name: JOBSET_NAME, valueFrom: {fieldRef: {fieldPath: "metadata.labels['jobset.sigs.k8s.io/jobset-name']"}}}, {name: PYTHONUNBUFFERED, value: "1"}, {name: PADDLE_JOB_ID, value: $(JOBSET_NAME)}, {name: PADDLE_NNODES, value: "3"}, {name: POD_IP_DUMMY, valueFrom: {fieldRef: {fieldPath: status.podIP}}}, {name: PADDLE_MASTER, value: $(POD_IP_DUMMY):36543}]}]}}
        - name: worker
          template:
            spec:
              parallelism: 2
              completions: 2
              template: {spec: {containers: [{name: paddle, image: 'r.io/a:1', env: [{name: JOBSET_NAME, valueFrom: {fieldRef: {fieldPath: "metadata.labels['jobset.sigs.k8s.io/jobset-name']"}}}, {name: PYTHONUNBUFFERED, value: "1"}, {name: PADDLE_JOB_ID, value: $(JOBSET_NAME)}, {name: PADDLE_NNODES, value: "3"}, {name: PADDLE_MASTER, value: $(JOBSET_NAME)-master-0-0.$(JOBSET_NAME):36543}]}]}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: a}
spec:
  runtimeRef:
    name: a
    kind: TrainingRuntime
)");
}

TEST_CASE("migrate v1: a master that differs is written out, too") {
  const std::string specs = replica("Master", "1", "name: pytorch, image: 'r.io/a:1', args: [--master]") +
                            replica("Worker", "2", "name: pytorch, image: 'r.io/a:1'");
  CHECK(written(head("PyTorchJob") + "spec:\n  pytorchReplicaSpecs:\n" + specs, {"--plain"}) ==
        R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata:
  name: a
  labels:
    trainer.kubeflow.org/framework: torch
spec:
  template:
    spec:
      successPolicy:
        operator: All
        targetReplicatedJobs:
          - master
      replicatedJobs:
        - name: master
          template:
            spec:
              parallelism: 1
              completions: 1
              template: {spec: {containers: [{name: pytorch, image: 'r.io/a:1', args: [--master], env: [{name: JOBSET_NAME, valueFrom: {fieldRef: {fieldPath: "metadata.labels['jobset.sigs.k8s.io/jobset-name']"}}}, {name: PYTHONUNBUFFERED, value: "1"}, {name: MASTER_PORT, value: "23456"}, {name: PET_MASTER_PORT, value: "23456"}, {name: MASTER_ADDR, value: $(JOBSET_NAME)-master-0-0.$(JOBSET_NAME)}, {name: PET_MASTER_ADDR, value: $(JOBSET_NAME)-master-0-0.$(JOBSET_NAME)}, {name: WORLD_SIZE, value: "3"}, {name: RANK, valueFrom: {fieldRef: {fieldPath: "metadata.annotations['jobset.sigs.k8s.io/job-global-index']"}}}, {name: PET_NODE_RANK, valueFrom: {fieldRef: {fieldPath: "metadata.annotations['jobset.sigs.k8s.io/job-global-index']"}}}, {name: PET_NPROC_PER_NODE, value: auto}, {name: PET_NNODES, value: "3"}]}]}}
        - name: worker
          replicas: 2
          template:
            spec:
              parallelism: 1
              completions: 1
              template: {spec: {containers: [{name: pytorch, image: 'r.io/a:1', env: [{name: JOBSET_NAME, valueFrom: {fieldRef: {fieldPath: "metadata.labels['jobset.sigs.k8s.io/jobset-name']"}}}, {name: PYTHONUNBUFFERED, value: "1"}, {name: MASTER_PORT, value: "23456"}, {name: PET_MASTER_PORT, value: "23456"}, {name: MASTER_ADDR, value: $(JOBSET_NAME)-master-0-0.$(JOBSET_NAME)}, {name: PET_MASTER_ADDR, value: $(JOBSET_NAME)-master-0-0.$(JOBSET_NAME)}, {name: WORLD_SIZE, value: "3"}, {name: RANK, valueFrom: {fieldRef: {fieldPath: "metadata.annotations['jobset.sigs.k8s.io/job-global-index']"}}}, {name: PET_NODE_RANK, valueFrom: {fieldRef: {fieldPath: "metadata.annotations['jobset.sigs.k8s.io/job-global-index']"}}}, {name: PET_NPROC_PER_NODE, value: auto}, {name: PET_NNODES, value: "3"}]}]}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: a}
spec:
  runtimeRef:
    name: a
    kind: TrainingRuntime
)");
  // A number of processes without digits is none.
  const std::string job = "  pytorchReplicaSpecs:\n" + specs;
  std::string empty = written(head("PyTorchJob") + "spec:\n  nprocPerNode: ''\n" + job, {"--plain"});
  const std::string_view value = R"(PET_NPROC_PER_NODE, value: "")";
  for (size_t at = empty.find(value); at != std::string::npos; at = empty.find(value))
    empty.replace(at, value.size(), "PET_NPROC_PER_NODE, value: auto");
  CHECK(empty == written(head("PyTorchJob") + "spec:\n" + job, {"--plain"}));
  CHECK(said(head("PyTorchJob") + "spec:\n  elasticPolicy: {}\n  pytorchReplicaSpecs:\n" + specs,
             {"--plain"}) == R"(in.yaml:5:18: error: the nodes of an elastic job must be alike [migrate/lost]
    5 |   elasticPolicy: {}
      |                  ^ make Master and Worker alike
nothing to migrate to Trainer 2.3 in 1 object; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

}  // namespace trainjobc::v1_plain_test
