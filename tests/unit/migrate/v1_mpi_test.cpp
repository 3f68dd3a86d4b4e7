// SPDX-License-Identifier: Apache-2.0

// MPIJobs of Training Operator v1 and of the MPI Operator
#include <doctest/doctest.h>

#include <string>

#include "support/v1_jobs.h"

namespace trainjobc::v1_mpi_test {
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
  name: mpi-openmpi-6rgwj
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
              template: {spec: {containers: [{name: node, image: 'r.io/a:1', volumeMounts: [{name: root-ssh-key, mountPath: /etc/root-ssh-key}], command: [/usr/sbin/sshd, -De]}], initContainers: [{name: root-ssh-key, image: 'r.io/a:1', command: [sh, -c, cp /mnt/ssh-auth/id_rsa /etc/root-ssh-key/ && chmod 600 /etc/root-ssh-key/id_rsa], volumeMounts: [{name: mpi-ssh-auth, mountPath: /mnt/ssh-auth}, {name: root-ssh-key, mountPath: /etc/root-ssh-key}]}], volumes: [{name: root-ssh-key, emptyDir: {medium: Memory}}], restartPolicy: Never}}
        - name: launcher
          dependsOn:
            - name: node
              status: Ready
          template:
            metadata:
              labels:
                trainer.kubeflow.org/trainjob-ancestor-step: trainer
            spec:
              template: {spec: {containers: [{name: node, image: 'r.io/a:1', env: [{name: NVIDIA_VISIBLE_DEVICES, value: ""}, {name: NVIDIA_DRIVER_CAPABILITIES, value: ""}, {name: OMPI_MCA_plm_rsh_agent, value: ssh -i /etc/root-ssh-key/id_rsa}, {name: HYDRA_LAUNCHER_EXTRA_ARGS, value: -i /etc/root-ssh-key/id_rsa}, {name: I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS, value: -i /etc/root-ssh-key/id_rsa}], volumeMounts: [{name: root-ssh-key, mountPath: /etc/root-ssh-key}]}], initContainers: [{name: root-ssh-key, image: 'r.io/a:1', command: [sh, -c, cp /mnt/ssh-auth/id_rsa /etc/root-ssh-key/ && chmod 600 /etc/root-ssh-key/id_rsa], volumeMounts: [{name: mpi-ssh-auth, mountPath: /mnt/ssh-auth}, {name: root-ssh-key, mountPath: /etc/root-ssh-key}]}], volumes: [{name: root-ssh-key, emptyDir: {medium: Memory}}]}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: a}
spec:
  runtimeRef:
    name: mpi-openmpi-6rgwj
  trainer:
    numNodes: 2
    numProcPerNode: 8  # GPUs
    command: [mpirun, a]
)");
  CHECK(said(head("MPIJob", "v2beta1") + "spec:\n  mpiImplementation: MPICH\n  mpiReplicaSpecs:\n" +
             replica("Launcher", "1", mpi) + replica("Worker", "2", mpi)) ==
        R"(1 of 1 object migrated to Trainer 2.3
)");
  CHECK(
      said(head("MPIJob") + "spec:\n  mainContainer: other\n  mpiReplicaSpecs:\n" +
           replica("Launcher", "1", mpi) + replica("Worker", "2", mpi + ", command: [sleep, '1']")) ==
      R"(in.yaml:2:7: warning: Trainer's launcher reaches the nodes with SSH, not with kubectl exec [advice/v1-difference]
    2 | kind: MPIJob
      |       ^~~~~~ the image needs sshd and ssh, and a user who may start it
in.yaml:5:18: error: the ranks run in the container that runs sshd, the first one [migrate/lost]
    5 |   mainContainer: other
      |                  ^~~~~ make this container the first one
in.yaml:12:78: warning: the nodes run sshd instead of this command: the launcher starts the ranks with SSH [advice/v1-difference]
   12 |       template: {spec: {containers: [{name: mpi, image: 'r.io/a:1', command: [sleep, '1']}]}}
      |                                                                              ^ run what has to come before in the launcher's command
nothing to migrate to Trainer 2.3 in 1 object; 1 v1 job stays as it is
note: what differs from v1, and what to do: https://trainjobc.github.io/trainjobc/from-v1/
)");
}

TEST_CASE("migrate v1: a launcher that is a worker is one of the nodes") {
  const std::string spec = R"(spec:
  slotsPerWorker: 2
  runLauncherAsWorker: true
  sshAuthMountPath: /home/mpiuser/.ssh
  mpiReplicaSpecs:
)";
  const std::string user = "name: mpi, image: 'r.io/a:1', securityContext: {runAsUser: 1000}";
  CHECK(written(head("MPIJob", "v2beta1") + spec +
                    replica("Launcher", "1", user + ", command: [mpirun, -n, '6', a]") +
                    replica("Worker", "2", user),
                {"--runtime-name", "mpi"}) == R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: mpi
  labels:
    trainer.kubeflow.org/framework: mpi
spec:
  mlPolicy:
    numNodes: 1
    mpi:
      mpiImplementation: OpenMPI
      numProcPerNode: 1
      runLauncherAsNode: true
      sshAuthMountPath: /home/mpiuser/.ssh
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
              template: {spec: {containers: [{name: node, image: 'r.io/a:1', command: [/usr/sbin/sshd, -De]}], securityContext: {fsGroup: 1000}, restartPolicy: Never}}
        - name: launcher
          template:
            metadata:
              labels:
                trainer.kubeflow.org/trainjob-ancestor-step: trainer
            spec:
              template: {spec: {containers: [{name: node, image: 'r.io/a:1'}], securityContext: {fsGroup: 1000}}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: a}
spec:
  runtimeRef:
    name: mpi
  trainer:
    numNodes: 3
    numProcPerNode: 2
    command: [mpirun, -n, '6', a]
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
                        containers:
                          - name: node
                            securityContext: {runAsUser: 1000}
              - name: launcher
                template:
                  spec:
                    template:
                      spec:
                        containers:
                          - name: node
                            securityContext: {runAsUser: 1000}
)");
  // One that only trains itself.
  CHECK(said(head("MPIJob", "v2beta1") + spec +
             replica("Launcher", "1", user + ", command: [mpirun, -n, '2', a]")) ==
        R"(1 of 1 object migrated to Trainer 2.3
)");
  // Without the field the launcher trains nothing.
  CHECK(written(head("MPIJob", "v2beta1") +
                    "spec:\n  sshAuthMountPath: /home/mpiuser/.ssh\n  mpiReplicaSpecs:\n" +
                    replica("Launcher", "1", user) + replica("Worker", "2", user),
                {"--runtime-name", "mpi"})
            .find("runLauncherAsNode: false") != std::string::npos);
}

TEST_CASE("migrate v1: pods on the host's network find the others by name, as the MPI Operator lets them") {
  const std::string worker =
      "    Worker:\n      replicas: 2\n      template: {spec: {hostNetwork: true, containers: [{name: mpi, "
      "image: 'r.io/a:1'}]}}\n";
  const std::string text =
      written(head("MPIJob", "v2beta1") + "spec:\n  mpiReplicaSpecs:\n" +
                  replica("Launcher", "1", "name: mpi, image: 'r.io/a:1', command: [mpirun, a]") + worker,
              {"--runtime-name", "mpi"});
  const std::string policy = "dnsPolicy: ClusterFirstWithHostNet";
  const size_t at = text.find(policy);
  CHECK(at != std::string::npos);
  CHECK(text.find(policy, at + 1) == std::string::npos);
}

TEST_CASE("migrate v1: K_MPI_JOB_ROLE is set for a script that reads it") {
  const auto job = [](const std::string& script) {
    return head("MPIJob", "v2beta1") + "spec:\n  mpiReplicaSpecs:\n" +
           replica("Launcher", "1", "name: mpi, image: 'r.io/a:1', command: [sh, -c, '" + script + "']") +
           replica("Worker", "2", "name: mpi, image: 'r.io/a:1'");
  };
  CHECK(written(job("mpirun a")).find("K_MPI_JOB_ROLE") == std::string::npos);
  CHECK(written(job("echo $K_MPI_JOB_ROLE")).find("env: [{name: K_MPI_JOB_ROLE, value: launcher}") !=
        std::string::npos);
}

}  // namespace trainjobc::v1_mpi_test
