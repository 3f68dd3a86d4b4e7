# SPDX-License-Identifier: Apache-2.0

"""What the end-to-end tests share: files of a test, runs of trainjobc, the cluster."""

import json
import os
import re
import subprocess
import tempfile
import time
import unittest

RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: plain, labels: {trainer.kubeflow.org/framework: plain}}
spec:
  mlPolicy: {numNodes: 1}
  template:
    metadata: {labels: {team: blue}}
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec: {template: {spec: {containers: [{name: node, image: "registry.example/train:1"}]}}}
"""

MPI_RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: mpi, labels: {trainer.kubeflow.org/framework: mpi}}
spec:
  mlPolicy:
    numNodes: 1
    mpi: {numProcPerNode: 1, mpiImplementation: OpenMPI, sshAuthMountPath: /root/.ssh}
  template:
    spec:
      replicatedJobs:
      - name: launcher
        template: {spec: {template: {spec: {containers: [{name: node, image: "registry.example/mpi:1"}]}}}}
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec: {template: {spec: {containers: [{name: node, image: "registry.example/mpi:1"}]}}}
"""


def job(name, runtime="plain", nodes=2, more=""):
    return f"""\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {{name: {name}}}
spec:
  runtimeRef: {{name: {runtime}}}
  trainer: {{numNodes: {nodes}}}
{more}"""


HAS_TRAINER = (
    "warning: the cluster has Kubeflow Trainer: what is submitted are JobSets of their own, which it does not manage; --as trainjob "
    "applies the TrainJobs instead\n"
)


class EndToEnd(unittest.TestCase):
    """One test, one namespace, one folder. `cluster` and `program` are set before the tests run."""

    cluster = None
    program = ""
    trainer_version = "2.3"
    maxDiff = None

    def setUp(self):
        self.namespace = re.sub("[^a-z]+", "-", self.id().split(".")[-1].removeprefix("test_"))
        self.cluster.kubectl("create", "namespace", self.namespace)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def write_job(self, *arguments, **named):
        self.write("runtime.yaml", RUNTIME + "---\n" + MPI_RUNTIME)
        self.write("job.yaml", job(*arguments, **named))

    def run_program(self, command, *words, environment=None, namespace=None):
        """Status, stdout and stderr; times and the server's address are made the same from run to run."""
        done = subprocess.run(
            [self.program, command, "--no-config", f"--trainer-version={self.trainer_version}", "--no-catalogue"]
            + [f"--namespace={self.namespace if namespace is None else namespace}", *words],
            cwd=self.folder,
            env={**self.cluster.environment(), **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, self.settled(done.stdout), self.settled(done.stderr)

    def settled(self, text):
        text = text.replace(f"127.0.0.1:{self.cluster.port}", "SERVER")
        text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "TIME", text)
        return re.sub(r"^\d+:\d\d  (?=JobSet )", "ELAPSED  ", text, flags=re.MULTILINE)

    def expect(self, run, status, out, err=""):
        """`NS` is replaced by the namespace."""
        expected = status, out.replace("NS", self.namespace), err.replace("NS", self.namespace)
        self.assertEqual("{}\n{}\n{}".format(*expected), "{}\n{}\n{}".format(*run))

    def submit(self, *words, **named):
        """Without the warning that it begins with, since the cluster has Trainer (test_cluster_with_trainer)."""
        status, out, err = self.run_program("submit", *(words or ("job.yaml", "runtime.yaml")), **named)
        return status, out, err.removeprefix(HAS_TRAINER)

    def diff(self, *words, **named):
        return self.run_program("diff", "job.yaml", "runtime.yaml", *words, **named)

    def live(self, kind, name):
        return self.cluster.get(kind, name, self.namespace)

    def kubectl(self, *words, stdin="", check=True):
        return self.cluster.kubectl("--namespace", self.namespace, *words, stdin=stdin, check=check)

    def create_when_known(self, name):
        """A TrainJob of a runtime that was just made: Trainer's webhook reads a cache, which may not hold it yet."""
        for _ in range(200):
            if self.kubectl("create", "-f", os.path.join(self.folder, name), check=False):
                return
            time.sleep(0.1)
        self.fail("the TrainJob is refused")

    def set_status(self, name, status):
        """What the JobSet controller does."""
        patch = json.dumps({"status": status})
        self.kubectl("patch", "jobset", name, "--subresource=status", "--type=merge", "-p", patch)

    def refuse(self, name):
        """From now on the API server refuses JobSets of that name."""
        self.kubectl("create", "-f", "-", stdin=json.dumps(refusing_policy(name, self.namespace)))
        job_set = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": name}, "spec": {}}
        words = ("apply", "--server-side", "--dry-run=server", "-f", "-")
        for _ in range(200):
            if not self.kubectl(*words, stdin=json.dumps(job_set), check=False):
                return
            time.sleep(0.1)
        self.fail("the policy is not obeyed")


def refusing_policy(name, namespace):
    """The API server refuses JobSets of that name."""
    policy = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": f"{namespace}-no-{name}"},
        "spec": {
            "matchConstraints": {
                "resourceRules": [
                    {
                        "apiGroups": ["jobset.x-k8s.io"],
                        "apiVersions": ["*"],
                        "operations": ["CREATE", "UPDATE"],
                        "resources": ["jobsets"],
                    }
                ]
            },
            "validations": [{"expression": f"object.metadata.name != '{name}'", "message": "not that name"}],
        },
    }
    binding = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": f"{namespace}-no-{name}"},
        "spec": {
            "policyName": f"{namespace}-no-{name}",
            "validationActions": ["Deny"],
            "matchResources": {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}}},
        },
    }
    return {"apiVersion": "v1", "kind": "List", "items": [policy, binding]}
