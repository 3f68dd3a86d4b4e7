// SPDX-License-Identifier: Apache-2.0

// trainjobc migrate: jobs of Training Operator v1 and of the MPI Operator
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/test_console.h"

using namespace trainjobc;

namespace {

struct V1Run {
  base::MemoryFileSystem files;
  test::TestConsole console{files};
  int status = -1;

  // The file's text afterwards.
  std::string write(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"migrate", "--no-config", "--to", "2.3", "--write", "in.yaml"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    status = cli::run(arguments, console);
    return files.files["in.yaml"];
  }
};

std::string written(const std::string& text, const std::vector<std::string>& more = {}) {
  V1Run run;
  run.files.files["in.yaml"] = text;
  const std::string after = run.write(more);
  CHECK(run.console.err.find("error") == std::string::npos);
  return after;
}

// What is said about the job.
std::string said(const std::string& text, const std::vector<std::string>& more = {}) {
  V1Run run;
  run.files.files["in.yaml"] = text;
  run.write(more);
  return run.console.err;
}

std::string head(const std::string& kind, const std::string& version = "v1") {
  return "apiVersion: kubeflow.org/" + version + "\nkind: " + kind + "\nmetadata: {name: a}\n";
}

std::string named(std::string text, const std::string& name) {
  const std::string given = "{name: a}";
  return text.replace(text.find(given), given.size(), "{name: " + name + "}");
}

// A replica whose container is on one line.
std::string replica(const std::string& role, const std::string& count, const std::string& container,
                    const std::string& more = "") {
  return "    " + role + ":\n      replicas: " + count + "\n" + more +
         "      template: {spec: {containers: [{" + container + "}]}}\n";
}

const std::string kTorch = "name: pytorch, image: 'r.io/a:1', command: [torchrun, a.py]";

std::string torch(const std::string& spec, const std::string& more = "") {
  return head("PyTorchJob") + "spec:\n" + spec + "  pytorchReplicaSpecs:\n" +
         replica("Worker", "2", kTorch, more);
}

}  // namespace

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
          - name: PYTHONUNBUFFERED
            value: "1"
          - name: COORDINATOR_PORT
            value: "6666"
          - name: COORDINATOR_ADDRESS
            value: a-node-0-0.a
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
    "name": "tensorflow-rpcv7",
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
      "name": "tensorflow-rpcv7"
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

TEST_CASE("migrate v1: what a PyTorchJob loses") {
  CHECK(
      said(head("PyTorchJob") + "spec:\n  pytorchReplicaSpecs:\n" + replica("Master", "1", kTorch) +
           replica("Worker", "2", kTorch + ", args: [--worker]")) ==
      R"(in.yaml:11:106: error: the nodes of a TrainJob are all alike, and Master and Worker differ in spec.containers[0].args [migrate/lost]
   11 |       template: {spec: {containers: [{name: pytorch, image: 'r.io/a:1', command: [torchrun, a.py], args: [--worker]}]}}
      |                                                                                                          ^ make them alike, or write them out with --plain
nothing to migrate to Trainer 2.3 in 1 object
)");
  CHECK(
      said(head("PyTorchJob") + "spec:\n  pytorchReplicaSpecs:\n" + replica("Master", "1", kTorch) +
           replica("Worker", "2", kTorch, "      restartPolicy: Never\n")) ==
      R"(in.yaml:11:22: error: the nodes of a TrainJob are all alike, and Master and Worker have different restart policies [migrate/lost]
   11 |       restartPolicy: Never
      |                      ^~~~~ make them alike, or write them out with --plain
nothing to migrate to Trainer 2.3 in 1 object
)");
  CHECK(
      said(torch("  nprocPerNode: gpu\n  elasticPolicy: {minReplicas: 1, maxReplicas: 4, metrics: [{type: "
                 "Resource}]}\n")) ==
      R"(in.yaml:5:17: warning: Trainer starts one process per CPU, whatever this says [advice/v1-difference]
    5 |   nprocPerNode: gpu
      |                 ^~~ write a number
in.yaml:6:32: warning: Trainer 2.3 has no elastic training: the job runs on 2 nodes, and waits for all of them [advice/v1-difference]
    6 |   elasticPolicy: {minReplicas: 1, maxReplicas: 4, metrics: [{type: Resource}]}
      |                                ^ set spec.trainer.numNodes to the number of nodes that you want
in.yaml:6:60: warning: Trainer has no autoscaling: the number of nodes stays [advice/v1-difference]
    6 |   elasticPolicy: {minReplicas: 1, maxReplicas: 4, metrics: [{type: Resource}]}
      |                                                            ^ change spec.trainer.numNodes, and create the job again
1 of 1 object migrated to Trainer 2.3
)");
  CHECK(
      said(torch("  nprocesPerNode: 8\n  cleanPodPolicy: All\n  runPolicy: {cleanPodPolicy: All}\n",
                 "      restartPolicy: Always\n      template2: {}\n")) ==
      R"(in.yaml:5:3: warning: PyTorchJob has no field "nprocesPerNode" in spec, and ignores it [advice/v1-ignored-field]
    5 |   nprocesPerNode: 8
      |   ^~~~~~~~~~~~~~ did you mean "nprocPerNode"?
in.yaml:6:3: warning: PyTorchJob has no field "cleanPodPolicy" in spec, and ignores it [advice/v1-ignored-field]
    6 |   cleanPodPolicy: All
      |   ^~~~~~~~~~~~~~ it is a field of spec.runPolicy
in.yaml:7:31: warning: the pods that ended stay with the TrainJob, so that their logs do [advice/v1-difference]
    7 |   runPolicy: {cleanPodPolicy: All}
      |                               ^~~ set runPolicy.ttlSecondsAfterFinished to remove them some time later
in.yaml:11:22: warning: Trainer starts a pod again only if it failed, as with OnFailure [advice/v1-difference]
   11 |       restartPolicy: Always
      |                      ^~~~~~ write OnFailure if this is what you want
in.yaml:12:7: warning: PyTorchJob has no field "template2" in spec.pytorchReplicaSpecs.Worker, and ignores it [advice/v1-ignored-field]
   12 |       template2: {}
      |       ^~~~~~~~~ did you mean "template"?
1 of 1 object migrated to Trainer 2.3
)");
  CHECK(
      said(torch("  runPolicy: {schedulingPolicy: {minAvailable: 1, minResources: {cpu: 1}}}\n")) ==
      R"(in.yaml:5:33: warning: the job does not say which scheduler starts its pods together: Volcano is assumed [advice/v1-difference]
    5 |   runPolicy: {schedulingPolicy: {minAvailable: 1, minResources: {cpu: 1}}}
      |                                 ^ write schedulerName: volcano, or scheduleTimeoutSeconds for coscheduling
in.yaml:5:48: warning: Trainer starts all 2 pods of the job together [advice/v1-difference]
    5 |   runPolicy: {schedulingPolicy: {minAvailable: 1, minResources: {cpu: 1}}}
      |                                                ^ remove it
in.yaml:5:65: warning: Trainer adds up the requests of all pods [advice/v1-difference]
    5 |   runPolicy: {schedulingPolicy: {minAvailable: 1, minResources: {cpu: 1}}}
      |                                                                 ^ remove it
1 of 1 object migrated to Trainer 2.3
)");
  CHECK(said(torch(
            "  runPolicy: {schedulingPolicy: {scheduleTimeoutSeconds: 9, queue: q, priorityClass: p}}\n")) ==
        R"(in.yaml:5:58: warning: Volcano does not use it [advice/v1-difference]
    5 |   runPolicy: {schedulingPolicy: {scheduleTimeoutSeconds: 9, queue: q, priorityClass: p}}
      |                                                          ^ remove it
1 of 1 object migrated to Trainer 2.3
)");
  // Without torchrun it needs addresses, which contain the name.
  const std::string program = "name: pytorch, image: 'r.io/a:1'";
  CHECK(
      said("apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {generateName: a-}\nspec:\n"
           "  pytorchReplicaSpecs:\n" +
           replica("Master", "1", program)) ==
      R"(in.yaml:3:11: error: the addresses of the pods contain the job's name, which it lacks [migrate/lost]
    3 | metadata: {generateName: a-}
      |           ^ write metadata.name
nothing to migrate to Trainer 2.3 in 1 object
)");
  CHECK(
      said("apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: 1a}\nspec:\n"
           "  pytorchReplicaSpecs:\n" +
           replica("Worker", "1", kTorch)) ==
      R"(in.yaml:2:7: error: Trainer 2.3 refuses the TrainJob that this becomes: metadata.name "1a" must consist of lower-case letters, digits and '-', and begin with a letter [migrate/lost]
    2 | kind: PyTorchJob
      |       ^~~~~~~~~~ such as "a"
nothing to migrate to Trainer 2.3 in 1 object
)");
}

TEST_CASE("migrate v1: what no operator accepts") {
  CHECK(said(head("PyTorchJob") + "spec: {}\n") ==
        R"(in.yaml:1:1: error: the PyTorchJob has no pytorchReplicaSpecs [migrate/lost]
    1 | apiVersion: kubeflow.org/v1
      | ^~~~~~~~~~
nothing to migrate to Trainer 2.3 in 1 object
)");
  CHECK(said(head("PyTorchJob") + "spec:\n  pytorchReplicaSpecs:\n" + replica("Chief", "1", kTorch)) ==
        R"(in.yaml:7:7: error: PyTorchJob has no replicas "Chief" [migrate/lost]
    7 |       replicas: 1
      |       ^~~~~~~~ it has Master, Worker
nothing to migrate to Trainer 2.3 in 1 object
)");
  CHECK(said(head("PyTorchJob") + "spec:\n  pytorchReplicaSpecs:\n" + replica("Master", "2", kTorch)) ==
        R"(in.yaml:7:17: error: there is one Master, not 2 [migrate/lost]
    7 |       replicas: 2
      |                 ^ write 1
nothing to migrate to Trainer 2.3 in 1 object
)");
  CHECK(said(head("PyTorchJob") + "spec:\n  pytorchReplicaSpecs:\n" + replica("Worker", "two", kTorch)) ==
        R"(in.yaml:7:17: error: replicas must be a number of pods, not "two" [migrate/lost]
    7 |       replicas: two
      |                 ^~~
nothing to migrate to Trainer 2.3 in 1 object
)");
  CHECK(said(head("PyTorchJob") + "spec:\n  pytorchReplicaSpecs:\n" + replica("Worker", "0", kTorch)) ==
        R"(in.yaml:6:5: error: the job has no pods [migrate/lost]
    6 |     Worker:
      |     ^~~~~~
nothing to migrate to Trainer 2.3 in 1 object
)");
  CHECK(said(head("PyTorchJob") + "spec:\n  pytorchReplicaSpecs:\n" +
             replica("Worker", "1", "name: a, image: b}, {name: b, image: b")) ==
        R"(in.yaml:8:38: error: none of the containers of Worker is called "pytorch" [migrate/lost]
    8 |       template: {spec: {containers: [{name: a, image: b}, {name: b, image: b}]}}
      |                                      ^ name the container that trains "pytorch"
nothing to migrate to Trainer 2.3 in 1 object
)");
  CHECK(said(torch("", "      restartPolicy: Sometimes\n")) ==
        R"(in.yaml:8:22: error: there is no restartPolicy "Sometimes" [migrate/lost]
    8 |       restartPolicy: Sometimes
      |                      ^~~~~~~~~ it is one of Always, ExitCode, Never, OnFailure
nothing to migrate to Trainer 2.3 in 1 object
)");
  CHECK(said(head("PyTorchJob") + "spec:\n  pytorchReplicaSpecs:\n    Worker: {replicas: 1}\n") ==
        R"(in.yaml:6:13: error: the Worker has no containers [migrate/lost]
    6 |     Worker: {replicas: 1}
      |             ^
nothing to migrate to Trainer 2.3 in 1 object
)");
  CHECK(said(head("XGBoostJob") + "spec:\n  xgbReplicaSpecs:\n" +
             replica("Worker", "1", "name: xgboost, image: 'r.io/a:1'")) ==
        R"(in.yaml:6:5: error: an XGBoostJob needs a Master [migrate/lost]
    6 |     Worker:
      |     ^~~~~~ add a Master
nothing to migrate to Trainer 2.3 in 1 object
)");
  CHECK(said(head("MPIJob", "v2beta1") + "spec:\n  mpiReplicaSpecs:\n" +
             replica("Worker", "1", "name: mpi, image: 'r.io/a:1'")) ==
        R"(in.yaml:6:5: error: an MPIJob needs a Launcher [migrate/lost]
    6 |     Worker:
      |     ^~~~~~ add a Launcher
nothing to migrate to Trainer 2.3 in 1 object
)");
}

TEST_CASE("migrate v1: TFJob and PaddleJob are written out if asked for") {
  const std::string workers = head("TFJob") + "spec:\n  tfReplicaSpecs:\n" +
                              replica("Worker", "2", "name: tensorflow, image: 'r.io/a:1'");
  CHECK(
      said(workers) ==
      R"(in.yaml:6:5: error: Trainer does not set TF_CONFIG, which the 2 pods of this job need [migrate/lost]
    6 |     Worker:
      |     ^~~~~~ --plain writes it out in a runtime of the job's own
nothing to migrate to Trainer 2.3 in 1 object
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
            template:
              spec:
                containers:
                - name: tensorflow
                  image: r.io/a:1
                  env:
                  - name: TF_TASK_INDEX
                    valueFrom:
                      fieldRef:
                        fieldPath: metadata.annotations['batch.kubernetes.io/job-completion-index']
                  - name: TF_CONFIG
                    value: '{"cluster":{"worker":["a-worker-0-0.a:2222","a-worker-0-1.a:2222"]},"task":{"type":"worker","index":$(TF_TASK_INDEX)},"environment":"cloud"}'
                restartPolicy: Never
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: a
spec:
  runtimeRef:
    name: a
    kind: TrainingRuntime
)");
  CHECK(said(head("TFJob") + "spec:\n  enableDynamicWorker: true\n  tfReplicaSpecs:\n" +
             replica("Worker", "2", "name: tensorflow, image: 'r.io/a:1'")) ==
        R"(in.yaml:5:24: error: Trainer has a fixed number of workers [migrate/lost]
    5 |   enableDynamicWorker: true
      |                        ^~~~ remove it, and run the job with --plain
nothing to migrate to Trainer 2.3 in 1 object
)");
  const std::string paddle = head("PaddleJob") +
                             "spec:\n  elasticPolicy: {minReplicas: 1}\n  paddleReplicaSpecs:\n" +
                             replica("Worker", "3", "name: paddle, image: 'r.io/a:1'");
  CHECK(
      said(paddle) ==
      R"(in.yaml:5:18: warning: Trainer 2.3 has no elastic training: the job runs on 3 nodes [advice/v1-difference]
    5 |   elasticPolicy: {minReplicas: 1}
      |                  ^ remove it
in.yaml:7:5: error: Trainer does not set PADDLE_MASTER and PADDLE_NNODES, which the 3 pods of this job need [migrate/lost]
    7 |     Worker:
      |     ^~~~~~ --plain writes them out in a runtime of the job's own
nothing to migrate to Trainer 2.3 in 1 object
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
              template: {spec: {containers: [{name: paddle, image: 'r.io/a:1', env: [{name: PYTHONUNBUFFERED, value: "1"}, {name: PADDLE_JOB_ID, value: a}, {name: PADDLE_NNODES, value: "3"}, {name: POD_IP_DUMMY, valueFrom: {fieldRef: {fieldPath: status.podIP}}}, {name: PADDLE_MASTER, value: $(POD_IP_DUMMY):36543}]}]}}
        - name: worker
          template:
            spec:
              parallelism: 2
              completions: 2
              template: {spec: {containers: [{name: paddle, image: 'r.io/a:1', env: [{name: PYTHONUNBUFFERED, value: "1"}, {name: PADDLE_JOB_ID, value: a}, {name: PADDLE_NNODES, value: "3"}, {name: PADDLE_MASTER, value: a-master-0-0.a:36543}]}]}}
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
            template:
              spec:
                containers:
                - name: pytorch
                  image: r.io/a:1
                  args:
                  - --master
                  env:
                  - name: PYTHONUNBUFFERED
                    value: "1"
                  - name: MASTER_PORT
                    value: "23456"
                  - name: PET_MASTER_PORT
                    value: "23456"
                  - name: MASTER_ADDR
                    value: a-master-0-0.a
                  - name: PET_MASTER_ADDR
                    value: a-master-0-0.a
                  - name: WORLD_SIZE
                    value: "3"
                  - name: RANK
                    valueFrom:
                      fieldRef:
                        fieldPath: metadata.annotations['jobset.sigs.k8s.io/job-global-index']
                  - name: PET_NODE_RANK
                    valueFrom:
                      fieldRef:
                        fieldPath: metadata.annotations['jobset.sigs.k8s.io/job-global-index']
                  - name: PET_NPROC_PER_NODE
                    value: auto
                  - name: PET_NNODES
                    value: "3"
      - name: worker
        replicas: 2
        template:
          spec:
            parallelism: 1
            completions: 1
            template:
              spec:
                containers:
                - name: pytorch
                  image: r.io/a:1
                  env:
                  - name: PYTHONUNBUFFERED
                    value: "1"
                  - name: MASTER_PORT
                    value: "23456"
                  - name: PET_MASTER_PORT
                    value: "23456"
                  - name: MASTER_ADDR
                    value: a-master-0-0.a
                  - name: PET_MASTER_ADDR
                    value: a-master-0-0.a
                  - name: WORLD_SIZE
                    value: "3"
                  - name: RANK
                    valueFrom:
                      fieldRef:
                        fieldPath: metadata.annotations['jobset.sigs.k8s.io/job-global-index']
                  - name: PET_NODE_RANK
                    valueFrom:
                      fieldRef:
                        fieldPath: metadata.annotations['jobset.sigs.k8s.io/job-global-index']
                  - name: PET_NPROC_PER_NODE
                    value: auto
                  - name: PET_NNODES
                    value: "3"
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: a
spec:
  runtimeRef:
    name: a
    kind: TrainingRuntime
)");
  CHECK(said(head("PyTorchJob") + "spec:\n  elasticPolicy: {}\n  pytorchReplicaSpecs:\n" + specs,
             {"--plain"}) == R"(in.yaml:5:18: error: the nodes of an elastic job must be alike [migrate/lost]
    5 |   elasticPolicy: {}
      |                  ^ make Master and Worker alike
nothing to migrate to Trainer 2.3 in 1 object
)");
}

TEST_CASE("migrate v1: MPIJobs") {
  const std::string mpi = "name: mpi, image: 'r.io/a:1'";
  CHECK(written(head("MPIJob", "v2beta1") + R"(spec:
  slotsPerWorker: 8  # GPUs
  launcherCreationPolicy: WaitForWorkersReady
  mpiReplicaSpecs:
)" + replica("Launcher", "1", mpi + ", command: [mpirun, a]") +
                replica("Worker", "2", mpi)) == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: mpi-r8bnz
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
              template: {spec: {containers: [{name: node, image: 'r.io/a:1', env: [{name: K_MPI_JOB_ROLE, value: worker}], command: [/usr/sbin/sshd, -De]}], restartPolicy: Never}}
        - name: launcher
          dependsOn:
            - name: node
              status: Ready
          template:
            metadata:
              labels:
                trainer.kubeflow.org/trainjob-ancestor-step: trainer
            spec:
              template: {spec: {containers: [{name: node, image: 'r.io/a:1', env: [{name: K_MPI_JOB_ROLE, value: launcher}, {name: NVIDIA_VISIBLE_DEVICES, value: ""}, {name: NVIDIA_DRIVER_CAPABILITIES, value: ""}]}]}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: a}
spec:
  runtimeRef:
    name: mpi-r8bnz
  trainer:
    numNodes: 2
    numProcPerNode: 8  # GPUs
    command: [mpirun, a]
)");
  CHECK(said(head("MPIJob", "v2beta1") + "spec:\n  mpiImplementation: MPICH\n  mpiReplicaSpecs:\n" +
             replica("Launcher", "1", mpi) + replica("Worker", "2", mpi)) ==
        R"(in.yaml:5:22: error: Trainer supports OpenMPI, not MPICH [migrate/lost]
    5 |   mpiImplementation: MPICH
      |                      ^~~~~ use an image with OpenMPI, and remove this
nothing to migrate to Trainer 2.3 in 1 object
)");
  CHECK(
      said(head("MPIJob") + "spec:\n  mainContainer: other\n  mpiReplicaSpecs:\n" +
           replica("Launcher", "1", mpi) + replica("Worker", "2", mpi + ", command: [sleep, '1']")) ==
      R"(in.yaml:2:7: warning: Trainer's launcher reaches the nodes with SSH, not with kubectl exec [advice/v1-difference]
    2 | kind: MPIJob
      |       ^~~~~~ the image needs sshd and ssh, and a user who may start it
in.yaml:2:7: warning: as root, ssh refuses the key that Trainer mounts: others can read it [advice/v1-difference]
    2 | kind: MPIJob
      |       ^~~~~~ run launcher and workers as a user, and mount the key at that user's .ssh
in.yaml:5:18: error: the ranks run in the container that runs sshd, the first one [migrate/lost]
    5 |   mainContainer: other
      |                  ^~~~~ make this container the first one
in.yaml:12:78: warning: the nodes run sshd instead of this command: the launcher starts the ranks with SSH [advice/v1-difference]
   12 |       template: {spec: {containers: [{name: mpi, image: 'r.io/a:1', command: [sleep, '1']}]}}
      |                                                                              ^ run what has to come before in the launcher's command
nothing to migrate to Trainer 2.3 in 1 object
)");
}

TEST_CASE("migrate v1: the default shows a diff, --output-dir writes elsewhere") {
  V1Run run;
  run.files.files["jobs/team/in.yaml"] = torch("");
  CHECK(cli::run({"migrate", "--no-config", "jobs"}, run.console) == 0);
  CHECK(run.console.out == R"(--- jobs/team/in.yaml
+++ jobs/team/in.yaml
@@ -1,8 +1,13 @@
-apiVersion: kubeflow.org/v1
-kind: PyTorchJob
+apiVersion: trainer.kubeflow.org/v1alpha1
+kind: TrainJob
 metadata: {name: a}
 spec:
-  pytorchReplicaSpecs:
-    Worker:
-      replicas: 2
-      template: {spec: {containers: [{name: pytorch, image: 'r.io/a:1', command: [torchrun, a.py]}]}}
+  runtimeRef:
+    name: torch-distributed
+  trainer:
+    numNodes: 2
+    image: 'r.io/a:1'
+    command: [torchrun, a.py]
+    env:
+      - name: PYTHONUNBUFFERED
+        value: "1"
)");
  CHECK(run.console.err == R"(1 of 1 object would be migrated to Trainer 2.3; --write rewrites the files
)");
  CHECK(run.files.files["jobs/team/in.yaml"] == torch(""));
  CHECK(cli::run({"migrate", "--no-config", "--output-dir", "new", "jobs"}, run.console) == 0);
  CHECK(run.files.files["jobs/team/in.yaml"] == torch(""));
  CHECK(run.files.files["new/team/in.yaml"] == R"(apiVersion: trainer.kubeflow.org/v1alpha1
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
  CHECK(cli::run({"migrate", "--no-config", "--output-dir", "new", "--write", "jobs"}, run.console) == 2);
}

TEST_CASE("migrate v1: --job chooses jobs, and standard input is rewritten") {
  V1Run run;
  run.files.files["in.yaml"] = torch("") + "---\n" + named(torch(""), "b");
  run.console.in = run.files.files["in.yaml"];
  CHECK(cli::run({"migrate", "--no-config", "--job", "b", "-"}, run.console) == 0);
  CHECK(run.console.out == R"(apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: a}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: pytorch, image: 'r.io/a:1', command: [torchrun, a.py]}]}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: b}
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

TEST_CASE("lint: a v1 job is named, and the command that migrates it") {
  V1Run run;
  run.files.files["in.yaml"] = torch("");
  CHECK(cli::run({"lint", "--no-config", "in.yaml"}, run.console) == 0);
  CHECK(
      run.console.out ==
      R"(in.yaml:2:7: warning: PyTorchJob is a job of Training Operator v1, which Trainer does not run [advice/training-operator]
    2 | kind: PyTorchJob
      |       ^~~~~~~~~~ trainjobc migrate --to 2.3 in.yaml makes it a TrainJob

1 finding (1 warning) in 1 of 1 file
)");
}
