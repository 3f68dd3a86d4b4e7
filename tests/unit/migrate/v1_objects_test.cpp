// SPDX-License-Identifier: Apache-2.0

// v1 jobs: comments, lists, JSON
#include <doctest/doctest.h>

#include <string>

#include "support/v1_jobs.h"

namespace trainjobc::v1_objects_test {
using namespace trainjobc::test;

TEST_CASE("migrate v1: a PyTorchJob keeps the comments beside what it keeps") {
  CHECK(written(R"(# The team's first job.
apiVersion: kubeflow.org/v1  # of 2021
kind: PyTorchJob
metadata:
  name: mnist  # a data set
  labels:
    # whose
    team: vision
spec:
  # until when
  runPolicy:
    activeDeadlineSeconds: 3600  # an hour
    cleanPodPolicy: Running  # gone
  nprocPerNode: "2"  # GPUs
  pytorchReplicaSpecs:
    Worker:
      # how many
      replicas: 4  # nodes
      template:
        spec:
          # where
          nodeSelector:
            gpu: h100  # eight
          containers:
            - name: pytorch
              # what
              image: registry.example.com/mnist:1  # built nightly
              command:
                - torchrun  # starts it
                - train.py
              env:
                # loud
                - name: NCCL_DEBUG
                  value: INFO
              resources:
                limits:
                  nvidia.com/gpu: 2  # each
              volumeMounts:
                - name: data
                  mountPath: /data  # read only
          volumes:
            # where it is
            - name: data
              persistentVolumeClaim: {claimName: mnist}
)") == R"(# The team's first job.
apiVersion: trainer.kubeflow.org/v1alpha1  # of 2021
kind: TrainJob
metadata:
  name: mnist  # a data set
  labels:
    # whose
    team: vision
spec:
  # until when
  activeDeadlineSeconds: 3600  # an hour
  runtimeRef:
    name: torch-distributed
  trainer:
    # how many
    numNodes: 4  # nodes
    numProcPerNode: 2
    # what
    image: registry.example.com/mnist:1  # built nightly
    command:
      - torchrun  # starts it
      - train.py
    env:
      # loud
      - name: NCCL_DEBUG
        value: INFO
      - name: PYTHONUNBUFFERED
        value: "1"
    resourcesPerNode:
      limits:
        nvidia.com/gpu: 2  # each
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
                        # where
                        nodeSelector:
                          gpu: h100  # eight
                        volumes:
                          # where it is
                          - name: data
                            persistentVolumeClaim: {claimName: mnist}
                        containers:
                          - name: node
                            volumeMounts:
                              - name: data
                                mountPath: /data  # read only
)");
}

TEST_CASE("migrate v1: lists, JSON and anchors") {
  const std::string item = R"(  - apiVersion: kubeflow.org/v1
    kind: JAXJob  # the only one
    metadata: {name: a}
    spec:
      jaxReplicaSpecs:
        Worker:
          replicas: 2
          restartPolicy: OnFailure
          template: {spec: {containers: [{name: jax, image: 'r.io/a:1'}]}}
)";
  CHECK(written("apiVersion: v1\nkind: List\nitems:\n" + item) == R"(apiVersion: v1
kind: List
items:
  - apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob  # the only one
    metadata: {name: a}
    spec:
      runtimeRef:
        name: jax-distributed
      trainer:
        numNodes: 2
        image: 'r.io/a:1'
        env:
          - name: JOBSET_NAME
            valueFrom:
              fieldRef:
                fieldPath: metadata.labels['jobset.sigs.k8s.io/jobset-name']
          - name: PYTHONUNBUFFERED
            value: "1"
          - name: COORDINATOR_PORT
            value: "6666"
          - name: COORDINATOR_ADDRESS
            value: $(JOBSET_NAME)-node-0-0.$(JOBSET_NAME)
          - name: NUM_PROCESSES
            value: "2"
          - name: PROCESS_ID
            valueFrom:
              fieldRef:
                fieldPath: metadata.annotations['batch.kubernetes.io/job-completion-index']
)");
  CHECK(
      written(
          R"({"apiVersion": "kubeflow.org/v1", "kind": "TFJob", "metadata": {"name": "a"}, "spec": {"tfReplicaSpecs":
 {"Worker": {"template": {"spec": {"containers": [{"name": "tensorflow", "image": "r.io/a:1"}]}}}}}}
)") == R"({
  "apiVersion": "trainer.kubeflow.org/v1alpha1",
  "kind": "ClusterTrainingRuntime",
  "metadata": {
    "name": "tensorflow-never-rpcv7",
    "labels": {
      "trainer.kubeflow.org/framework": "tensorflow"
    }
  },
  "spec": {
    "mlPolicy": {
      "numNodes": 1
    },
    "template": {
      "spec": {
        "replicatedJobs": [
          {
            "name": "node",
            "template": {
              "metadata": {
                "labels": {
                  "trainer.kubeflow.org/trainjob-ancestor-step": "trainer"
                }
              },
              "spec": {
                "backoffLimit": 0,
                "template": {
                  "spec": {
                    "containers": [
                      {
                        "name": "node"
                      }
                    ],
                    "restartPolicy": "Never"
                  }
                }
              }
            }
          }
        ]
      }
    }
  }
}
---
{
  "apiVersion": "trainer.kubeflow.org/v1alpha1",
  "kind": "TrainJob",
  "metadata": {
    "name": "a"
  },
  "spec": {
    "runtimeRef": {
      "name": "tensorflow-never-rpcv7"
    },
    "trainer": {
      "numNodes": 1,
      "image": "r.io/a:1"
    }
  }
}
)");
  // The alias is kept, what it refers to is not.
  CHECK(written(R"(apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: a}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 1
      template:
        metadata: {annotations: {note: &note "a note"}, name: gone}  # both
        spec: {containers: [{name: pytorch, image: 'r.io/a:1', command: [torchrun, *note]}]}
)") == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: a
spec:
  runtimeRef:
    name: torch-distributed
  trainer:
    numNodes: 1
    image: r.io/a:1
    command:
    - torchrun
    - a note
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
                  metadata:
                    annotations:
                      note: a note
)");
}

TEST_CASE("migrate v1: what an API server adds makes no difference between master and workers") {
  const std::string exported = R"(    Master:
      replicas: 1
      template:
        metadata: {creationTimestamp: null}
        spec: {restartPolicy: Always, containers: [{name: pytorch, image: 'r.io/a:1', command: [torchrun, a.py]}]}
)";
  CHECK(written(head("PyTorchJob") + "spec:\n  pytorchReplicaSpecs:\n" + exported +
                replica("Worker", "1", kTorch)) == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: a}
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
}

TEST_CASE("migrate v1: no time to end is not the default") {
  CHECK(written(head("PyTorchJob") + R"(spec:
  pytorchReplicaSpecs:
    Worker:
      template: {spec: {terminationGracePeriodSeconds: 0, containers: [{name: pytorch, image: 'r.io/a:1', command: [torchrun, a.py]}]}}
)")
            .ends_with(
                "                      spec:\n                        terminationGracePeriodSeconds: 0\n"));
}

TEST_CASE("migrate v1: the diff hides what kubectl applied last, and its lines stay apart") {
  V1Run run;
  run.files.files["in.yaml"] = R"(apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: a
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"kind":"PyTorchJob","spec":{"token":"s3cr3t"}}
  labels: {a: b}
spec:
  pytorchReplicaSpecs:
    Worker:
      template: {spec: {containers: [{name: pytorch, image: 'r.io/a:1', command: [torchrun, a.py]}]}}
)";
  CHECK(cli::run({"migrate", "--no-config", "in.yaml"}, run.console) == 0);
  CHECK(run.console.out == R"(--- in.yaml
+++ in.yaml
@@ -1,12 +1,15 @@
-apiVersion: kubeflow.org/v1
-kind: PyTorchJob
+apiVersion: trainer.kubeflow.org/v1alpha1
+kind: TrainJob
 metadata:
   name: a
-  annotations:
-    kubectl.kubernetes.io/last-applied-configuration: |
-      ***
   labels: {a: b}
 spec:
-  pytorchReplicaSpecs:
-    Worker:
-      template: {spec: {containers: [{name: pytorch, image: 'r.io/a:1', command: [torchrun, a.py]}]}}
+  runtimeRef:
+    name: torch-distributed
+  trainer:
+    numNodes: 1
+    image: 'r.io/a:1'
+    command: [torchrun, a.py]
+    env:
+      - name: PYTHONUNBUFFERED
+        value: "1"
)");
}

TEST_CASE("migrate v1: a job that two files define names both") {
  V1Run run;
  run.files.files["a.yaml"] = torch("");
  run.files.files["b.yaml"] = torch("");
  CHECK(cli::run({"migrate", "--no-config", "a.yaml", "b.yaml"}, run.console) == 1);
  CHECK(run.console.err == R"(b.yaml:3:18: error: PyTorchJob/default/a is defined twice [migrate/lost]
    3 | metadata: {name: a}
      |                  ^ rename one, or migrate the folders one after the other
  note: the first one at a.yaml:3:18
1 of 2 objects would be migrated to Trainer 2.3; --write rewrites the files; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: comments stay above what they are about") {
  CHECK(written(R"(# top of the file
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: a  # its name
spec:
  # how many
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        spec:
          containers:
          - name: pytorch
            image: r.io/a:1  # pinned
            # variables of the program
            env:
            # the rate
            - name: LR
              value: "0.1"
            command: [torchrun, a.py]
---
# of the second
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
# the end
)") == R"(# top of the file
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: a  # its name
spec:
  runtimeRef:
    name: torch-distributed
  trainer:
    # how many
    numNodes: 2
    image: r.io/a:1  # pinned
    command: [torchrun, a.py]
    # variables of the program
    env:
    # the rate
    - name: LR
      value: "0.1"
    - name: PYTHONUNBUFFERED
      value: "1"
---
# of the second
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
# the end
)");
}

}  // namespace trainjobc::v1_objects_test
