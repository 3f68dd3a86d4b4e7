// SPDX-License-Identifier: Apache-2.0

// What is said about v1 jobs, each once: those of docs/from-v1.md that no other test shows
#include <doctest/doctest.h>

#include <string>

#include "support/v1_jobs.h"

namespace trainjobc::v1_messages_test {
using namespace trainjobc::test;

TEST_CASE("migrate v1: an MPIJob of an older version without containers") {
  CHECK(said(R"(apiVersion: kubeflow.org/v1alpha1
kind: MPIJob
metadata: {name: a}
spec:
  replicas: 1
  template: {spec: {}}
)") ==
        R"(in.yaml:6:13: error: the MPIJob has no containers [migrate/lost]
    6 |   template: {spec: {}}
      |             ^
nothing to migrate to Trainer 2.3 in 1 object; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: a container of another name") {
  CHECK(
      said(R"(apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: a}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: main, image: 'r.io/a:1', command: [torchrun, a.py]}]}}
)") ==
      R"(in.yaml:8:38: warning: Worker has no container "pytorch": the only one is taken for it [advice/v1-difference]
    8 |       template: {spec: {containers: [{name: main, image: 'r.io/a:1', command: [torchrun, a.py]}]}}
      |                                      ^ name it "pytorch"
1 of 1 object migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: cleanPodPolicy None of several roles") {
  CHECK(said(R"(apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: a}
spec:
  runPolicy: {cleanPodPolicy: None}
  tfReplicaSpecs:
    PS:
      replicas: 1
      template: {spec: {containers: [{name: tensorflow, image: 'r.io/a:1', command: [python, a.py]}]}}
    Worker:
      replicas: 1
      template: {spec: {containers: [{name: tensorflow, image: 'r.io/a:1', command: [python, a.py]}]}}
)") ==
        R"(in.yaml:5:31: warning: pods that still run when the job ends are removed [advice/v1-difference]
    5 |   runPolicy: {cleanPodPolicy: None}
      |                               ^~~~ write Running if this is what you want
in.yaml:7:5: warning: Trainer does not set TF_CONFIG: the job gets a runtime of its own, with those of its 2 pods [advice/v1-difference]
    7 |     PS:
      |     ^~ for another number of pods, migrate the v1 job again
1 of 1 object migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: what coscheduling does not use") {
  CHECK(said(R"(apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: a}
spec:
  runPolicy: {schedulingPolicy: {scheduleTimeoutSeconds: 5, priorityClass: high}}
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: pytorch, image: 'r.io/a:1', command: [torchrun, a.py]}]}}
)") ==
        R"(in.yaml:5:76: warning: coscheduling does not use it [advice/v1-difference]
    5 |   runPolicy: {schedulingPolicy: {scheduleTimeoutSeconds: 5, priorityClass: high}}
      |                                                                            ^~~~ remove it
1 of 1 object migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: an unknown MPI") {
  CHECK(said(R"(apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: a}
spec:
  mpiImplementation: LAM
  mpiReplicaSpecs:
    Launcher:
      replicas: 1
      template: {spec: {containers: [{name: mpi, image: 'r.io/a:1', command: [mpirun, a]}]}}
)") ==
        R"(in.yaml:5:22: error: there is no implementation "LAM" [migrate/lost]
    5 |   mpiImplementation: LAM
      |                      ^~~ it is one of Intel, MPICH and OpenMPI
nothing to migrate to Trainer 2.3 in 1 object; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: terminationPolicy of older TFJobs") {
  CHECK(said(R"(apiVersion: kubeflow.org/v1alpha1
kind: TFJob
metadata: {name: a}
spec:
  terminationPolicy: {chief: {replicaName: WORKER, replicaIndex: 1}}
  replicaSpecs:
    - replicas: 1
      tfReplicaType: WORKER
      template: {spec: {containers: [{name: tensorflow, image: 'r.io/a:1'}]}}
)") ==
        R"(in.yaml:5:22: warning: the job ends with its master or its first worker [advice/v1-difference]
    5 |   terminationPolicy: {chief: {replicaName: WORKER, replicaIndex: 1}}
      |                      ^ remove it if this is what you want
1 of 1 object migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: launcherOnMaster") {
  CHECK(said(R"(apiVersion: kubeflow.org/v1alpha1
kind: MPIJob
metadata: {name: a}
spec:
  replicas: 1
  launcherOnMaster: true
  template: {spec: {containers: [{name: mpi, image: 'r.io/a:1', command: [mpirun, a]}]}}
)") ==
        R"(in.yaml:6:21: error: Trainer does not choose the launcher's machine [migrate/lost]
    6 |   launcherOnMaster: true
      |                     ^~~~ remove it, and write the node selector and tolerations into the launcher of an MPIJob v1
nothing to migrate to Trainer 2.3 in 1 object; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: labels of the pods that Katib looks at") {
  CHECK(said(R"(apiVersion: kubeflow.org/v1beta1
kind: Experiment
metadata: {name: a}
spec:
  trialTemplate:
    primaryPodLabels: {training.kubeflow.org/replica-type: master, training.kubeflow.org/operator-name: pytorchjob-controller}
    trialSpec:
      apiVersion: kubeflow.org/v1
      kind: PyTorchJob
      spec:
        pytorchReplicaSpecs:
          Worker:
            template: {spec: {containers: [{name: pytorch, image: 'r.io/a:1', command: [torchrun, a.py]}]}}
)") ==
        R"(in.yaml:6:60: error: no label of JobSet selects the same pod [migrate/lost]
    6 |     primaryPodLabels: {training.kubeflow.org/replica-type: master, training.kubeflow.org/operator-name: pytorchjob-controller}
      |                                                            ^~~~~~ remove primaryPodLabels for the first node
in.yaml:6:105: error: no label of JobSet selects the same pod [migrate/lost]
    6 |     primaryPodLabels: {training.kubeflow.org/replica-type: master, training.kubeflow.org/operator-name: pytorchjob-controller}
      |                                                                                                         ^~~~~~~~~~~~~~~~~~~~~ remove primaryPodLabels for the first node
in.yaml:9:13: warning: Katib runs TrainJobs from version 0.19 on [advice/v1-difference]
    9 |       kind: PyTorchJob
      |             ^~~~~~~~~~ add TrainJob.v1alpha1.trainer.kubeflow.org to trialResources of an older katib-config
nothing to migrate to Trainer 2.3 in 1 object; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: two jobs that would become one") {
  CHECK(
      said(R"(apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: a}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: pytorch, image: 'r.io/a:1', command: [torchrun, a.py]}]}}
---
apiVersion: kubeflow.org/v1
kind: JAXJob
metadata: {name: a}
spec:
  jaxReplicaSpecs:
    Worker:
      replicas: 1
      template: {spec: {containers: [{name: jax, image: 'r.io/a:1'}]}}
)") ==
      R"(in.yaml:12:18: error: PyTorchJob/default/a and JAXJob/default/a would both become TrainJob/default/a [migrate/lost]
   12 | metadata: {name: a}
      |                  ^ rename one of them
  note: the first one at in.yaml:3:18
1 of 2 objects migrated to Trainer 2.3; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: a TrainJob of the name exists") {
  CHECK(said(R"(apiVersion: kubeflow.org/v1
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
metadata: {name: a}
spec: {runtimeRef: {name: torch-distributed}}
)") ==
        R"(in.yaml:2:7: error: the inputs have a TrainJob/default/a already [migrate/lost]
    2 | kind: PyTorchJob
      |       ^~~~~~~~~~ remove one of them, or rename it
nothing to migrate to Trainer 2.3 in 2 objects; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: an unknown field of a pod") {
  CHECK(
      said(R"(apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: a}
spec:
  pytorchReplicaSpecs:
    Worker:
      template: {spec: {nodeselector: {a: b}, containers: [{name: pytorch, image: 'r.io/a:1', command: [torchrun, a.py]}]}}
)") ==
      R"(in.yaml:7:25: warning: unknown field "nodeselector" in spec.pytorchReplicaSpecs.Worker.template.spec [advice/v1-ignored-field]
    7 |       template: {spec: {nodeselector: {a: b}, containers: [{name: pytorch, image: 'r.io/a:1', command: [torchrun, a.py]}]}}
      |                         ^~~~~~~~~~~~ did you mean "nodeSelector"?
1 of 1 object migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: a variable that Trainer sets") {
  CHECK(said(R"(apiVersion: kubeflow.org/v1
kind: JAXJob
metadata: {name: a}
spec:
  jaxReplicaSpecs:
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: jax, image: 'r.io/a:1', env: [{name: JAX_PROCESS_ID, value: "0"}, {name: NUM_PROCESSES, value: "2"}]}]}}
)") ==
        R"(in.yaml:8:75: warning: Trainer sets JAX_PROCESS_ID itself [advice/v1-difference]
    8 |       template: {spec: {containers: [{name: jax, image: 'r.io/a:1', env: [{name: JAX_PROCESS_ID, value: "0"}, {name: NUM_PROCESSES, value: "2"}]}]}}
      |                                                                           ^ remove it
1 of 1 object migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: comments on what is gone") {
  const std::string text = R"(apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: a}
spec:
  # never start it again
  runPolicy:
    backoffLimit: 0  # at all
  pytorchReplicaSpecs:
    Master:
      template: {spec: {containers: [{name: pytorch, image: 'r.io/a:1', command: [torchrun, a.py]}]}}
    Worker:
      replicas: 3  # fits the rack
      template:
        spec:
          containers:
          - name: pytorch
            image: r.io/a:1
            command: [torchrun, a.py]
)";
  CHECK(
      said(text) ==
      R"(in.yaml:12:20: warning: the comment is left out: nothing of what it is about is kept [advice/v1-difference]
   12 |       replicas: 3  # fits the rack
      |                    ^~~~~~~~~~~~~~~ write it where it applies now
1 of 1 object migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
  CHECK(written(text).find("            # never start it again\n            backoffLimit: 0  # at all\n") !=
        std::string::npos);
}

TEST_CASE("migrate v1: comments in a document with anchors") {
  CHECK(said(R"(apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: a}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        spec:
          containers:
          - &c
            name: pytorch
            image: r.io/a:1
            command: [torchrun, a.py]
          initContainers:
          # first
          - <<: *c
            name: init
)") ==
        R"(in.yaml:1:1: warning: the comments of this document can't be kept [advice/v1-difference]
    1 | apiVersion: kubeflow.org/v1
      | ^~~~~~~~~~ write it in plain block style, without anchors, to keep them
1 of 1 object migrated to Trainer 2.3
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

}  // namespace trainjobc::v1_messages_test
