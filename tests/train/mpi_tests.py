# SPDX-License-Identifier: Apache-2.0

"""MPI over sshd, with the rendered key, hostfile and slots."""

from images import Image
from support import TrainTest, with_hostfile, with_other_key

IMAGES = {"registry.example/mpi": Image(programs={"/workspace/train.py": "mpi_ranks.py"}, folder="/workspace")}

RUNTIME = """\
apiVersion: {api}
kind: ClusterTrainingRuntime
metadata: {{name: mpi, labels: {{trainer.kubeflow.org/framework: mpi}}}}
spec:
  mlPolicy:
    numNodes: 1
    mpi: {{mpiImplementation: {implementation}, numProcPerNode: 1, runLauncherAsNode: {as_node}, sshAuthMountPath: {path}}}
  template:
    spec:
      network: {{publishNotReadyAddresses: true}}
      successPolicy: {{operator: All, targetReplicatedJobs: [launcher]}}
      replicatedJobs:
      - name: node
        template:
          spec:
            template:
              spec:
                {pod_security}
                containers:
                - name: node
                  image: registry.example/mpi:1
                  {security}
                  command: {sshd}
                  readinessProbe: {{tcpSocket: {{port: 2222}}, initialDelaySeconds: 1}}
      - name: launcher
        dependsOn: [{{name: node, status: Ready}}]
        template:
          metadata: {{labels: {{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}}}
          spec:
            backoffLimit: 0
            template:
              spec:
                restartPolicy: Never
                {pod_security}
                containers:
                - name: node
                  image: registry.example/mpi:1
                  {security}
---
apiVersion: {job_api}
kind: TrainJob
metadata: {{name: sums, namespace: team-a}}
spec:
  runtimeRef: {{name: mpi}}
  trainer:
    command: {command}
    numNodes: {nodes}
    numProcPerNode: {processes}
"""

TRAINER = "trainer.kubeflow.org/v1alpha1"
OME = "ome.io/v1beta1"
USER_SSHD = "[/usr/sbin/sshd, -De, -f, /home/mpiuser/.sshd_config]"
ROOT_SSHD = "[/usr/sbin/sshd, -De, -f, /etc/ssh/train_sshd_config]"
AS_ROOT = {"path": "/root/.ssh", "security": "", "sshd": ROOT_SSHD, "command": "[mpirun, --allow-run-as-root, python, train.py]"}


# Of the MPI Operator, which mounts the key with mode 0600.
V1_JOB = """\
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {{name: sums, namespace: team-a}}
spec:
  slotsPerWorker: 1
  mpiImplementation: {implementation}
  launcherCreationPolicy: WaitForWorkersReady
  mpiReplicaSpecs:
    Launcher:
      restartPolicy: Never
      template:
        spec:
          containers:
          - {{name: mpi, image: "registry.example/mpi:1", command: {command}}}
    Worker:
      replicas: 2
      template:
        spec:
          containers:
          - name: mpi
            image: registry.example/mpi:1
            command: {sshd}
            readinessProbe: {{tcpSocket: {{port: 2222}}, initialDelaySeconds: 1}}
"""


def migrated(test, command, *flags, implementation="OpenMPI"):
    """The objects of a migrated v1 job that runs as root."""
    return test.render(test.migrate(V1_JOB.format(command=command, sshd=ROOT_SSHD, implementation=implementation), *flags))


def manifests(implementation="OpenMPI", as_node=True, nodes=2, processes=2, command="[mpirun, python, train.py]", **other):
    values = {
        "api": TRAINER if implementation == "OpenMPI" else OME,
        "job_api": TRAINER,
        "path": "/home/mpiuser/.ssh",
        "pod_security": "securityContext: {fsGroup: 1000}",
        "security": "securityContext: {runAsUser: 1000}",
        "sshd": USER_SSHD,
        "implementation": implementation,
        "as_node": str(as_node).lower(),
        "nodes": nodes,
        "processes": processes,
        "command": command,
    }
    return RUNTIME.format(**values | other)


def expected(hosts, processes, library, user=1000):
    world = len(hosts) * processes
    return [
        {
            "rank": rank,
            "world": world,
            "host": hosts[rank // processes],
            "sum": world * (world + 1) // 2,
            "user": user,
            "library": library,
            "printed_by": "sums-launcher-0-0",
        }
        for rank in range(world)
    ]


class OpenMPI(TrainTest):
    needs = ("mpirun.openmpi", "sshd", "ssh")
    images = IMAGES

    def test_the_launcher_is_a_node(self):
        reports = self.run_job(self.render(manifests()))
        # mpirun starts with the machine it runs on.
        self.assertEqual(reports, expected(["sums-launcher-0-0", "sums-node-0-0"], 2, "Open"))

    def test_the_launcher_is_no_node(self):
        reports = self.run_job(self.render(manifests(as_node=False, nodes=3, processes=1)))
        self.assertEqual(reports, expected(["sums-node-0-0", "sums-node-0-1", "sums-node-0-2"], 1, "Open"))

    def test_wrong_slots_are_seen(self):
        right = self.render(manifests())
        self.assertNotEqual(self.run_job(with_hostfile(right, "slots=2", "slots=1")), self.run_job(right))

    def test_more_processes_than_slots_fail(self):
        self.assert_fails(self.render(manifests(command="[mpirun, -np, '5', python, train.py]")), saying="not enough slots")

    def test_a_wrong_address_fails(self):
        wrong = with_hostfile(self.render(manifests()), "sums-node-0-0.", "sums-node-0-1.")
        self.assert_fails(wrong, saying="Could not resolve hostname sums-node-0-1.sums")

    def test_another_key_fails(self):
        wrong = with_other_key(self.render(manifests()), self.render(manifests()))
        self.assert_fails(wrong, saying="Permission denied (publickey")


class SshKey(TrainTest):
    """Which user may use the key: what advice/ssh-key says."""

    needs = OpenMPI.needs
    images = IMAGES

    def objects(self, version, **how):
        return self.render(manifests(nodes=2, processes=1, **how), "--trainer-version", version)

    def assert_works(self, objects):
        hosts = ["sums-launcher-0-0", "sums-node-0-0"]
        self.assertEqual(self.run_job(objects), expected(hosts, 1, "Open"))

    def test_root_is_refused(self):
        for version in ("2.3", "2.2"):
            for group in ("", "securityContext: {fsGroup: 1000}"):
                with self.subTest(version=version, group=group):
                    self.assert_fails(self.objects(version, **AS_ROOT, pod_security=group), saying="bad permissions")

    def test_a_migrated_job_copies_the_key_for_root(self):
        reports = self.run_job(migrated(self, AS_ROOT["command"]))
        self.assertEqual(reports, expected(["sums-node-0-0", "sums-node-0-1"], 1, "Open", user=0))

    def test_a_migrated_job_can_leave_it(self):
        self.assert_fails(migrated(self, AS_ROOT["command"], "--root-key", "keep"), saying="bad permissions")

    def test_a_user_needs_the_group_of_the_volume_in_2_3(self):
        objects = self.objects("2.3")
        for replicated in next(item for item in objects if item["kind"] == "JobSet")["spec"]["replicatedJobs"]:
            if replicated["name"] == "launcher":
                del replicated["template"]["spec"]["template"]["spec"]["securityContext"]
        self.assert_fails(objects, saying='Load key "/home/mpiuser/.ssh/id_rsa": Permission denied')

    def test_neither_does_sshd_read_its_host_key(self):
        self.assert_fails(self.objects("2.3", pod_security=""), saying="Unable to load host key")

    def test_a_user_needs_no_group_before(self):
        self.assert_works(self.objects("2.2", pod_security=""))

    def test_a_user_with_the_group_of_the_volume(self):
        self.assert_works(self.objects("2.2"))

    def test_sshd_refuses_the_folder_of_a_secret_if_it_is_strict(self):
        strict = "[/usr/sbin/sshd, -De, -o, StrictModes=yes, -f, /home/mpiuser/.sshd_config]"
        self.assert_fails(self.objects("2.3", sshd=strict), saying="bad ownership or modes for directory")
