// SPDX-License-Identifier: Apache-2.0

// MPIJobs of Training Operator v1 and of the MPI Operator
#include <doctest/doctest.h>

#include <string>

#include "support/v1_jobs.h"

using namespace trainjobc;
using namespace trainjobc::test;

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
