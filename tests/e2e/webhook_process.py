# SPDX-License-Identifier: Apache-2.0

"""trainjobc webhook as a process beside the API server, with the token of the service account that its manifests make: what the
tests of it share."""

import json
import os
import re
import subprocess
import time
import unittest
import urllib.request

from cases import case as inputs
from installation import encoded
from processes import die_with_parent, free_ports
from suites.kueue_tests import train_job
from support import EndToEnd

PLUGIN = inputs.ROOT / "plugin/webhook"
PAGE = inputs.ROOT / "docs/tasks/admission.md"
SYSTEM = "trainjobc-system"
CONFIGURATION = "validatingwebhookconfiguration/trainjobc-webhook"
SECONDS = 60
NO_LAUNCHER = (
    "spec.trainer.command[0]: python starts one process on each node, and does not read PET_*: the 4 nodes train alone, "
    "each the whole job; start it with torchrun: [torchrun, train.py, …] (advice/no-launcher)"
)


def torch_runtime(name, env=()):
    container = {"name": "node", "image": "team/train:1", "env": list(env)}
    node = {
        "name": "node",
        "template": {
            "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
            "spec": {"template": {"spec": {"containers": [container]}}},
        },
    }
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": name, "labels": {"trainer.kubeflow.org/framework": "torch"}},
        "spec": {"mlPolicy": {"numNodes": 1, "torch": {}}, "template": {"spec": {"replicatedJobs": [node]}}},
    }


def job(name, runtime_name, launcher="python", labels=None, **more):
    """With python, it has a finding."""
    made = train_job(name, runtime_name, labels or {})
    made["spec"].update(trainer={"numNodes": 4, "command": [launcher, "train.py"]}, **more)
    return made


def as_list(objects):
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})


def run_kubectl(plane, *words, stdin=""):
    """Status, stdout, stderr."""
    command = [plane.kubectl_path, *words]
    done = subprocess.run(command, input=stdin, env=plane.environment(), capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


class WebhookProcess(EndToEnd):
    configuration = None  # as it is installed

    @classmethod
    def setUpClass(cls):
        if subprocess.run([cls.program, "webhook", "--help"], capture_output=True, check=False).returncode:
            raise unittest.SkipTest("trainjobc was built without the webhook")
        if cls.trainer_version != "2.3":
            raise unittest.SkipTest("the webhook is tried with Trainer 2.3")

    @classmethod
    def apply_all(cls, objects):
        return cls.cluster.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", stdin=as_list(objects))

    def setUp(self):
        super().setUp()
        self.runtime = f"torch-{self.namespace}"
        self.ports = free_ports(2)
        self.apply_all([torch_runtime(self.runtime)])
        self.addCleanup(self.cluster.kubectl, "delete", "clustertrainingruntime", self.runtime, "--wait=false")
        self.addCleanup(self.cluster.kubectl, "delete", "trainjobs", "--all", "-n", self.namespace)

    def start(self, *flags, certificates=None, address=None):
        """Returns the process when it knows the runtimes."""
        folder = certificates or self.cluster.path("webhooks")
        listen = address or f"127.0.0.1:{self.ports[0]}"
        self.write("token", self.cluster.kubectl("create", "token", "trainjobc-webhook", "-n", SYSTEM))
        command = [self.program, "webhook", f"--listen={listen}", f"--status-listen=127.0.0.1:{self.ports[1]}"]
        command += [f"--tls-cert={folder}/tls.crt", f"--tls-key={folder}/tls.key", "--token-file=token", "--drain=1"]
        command += [f"--api-server=https://127.0.0.1:{self.cluster.port}", f"--trainer-version={self.trainer_version}"]
        command += [f"--ca-file={self.cluster.path('certificates/apiserver.crt')}", *flags]
        with open(os.path.join(self.folder, "log"), "w", encoding="utf-8") as log:
            nothing = subprocess.DEVNULL
            process = subprocess.Popen(
                command, cwd=self.folder, stdin=nothing, stdout=log, stderr=log, preexec_fn=die_with_parent
            )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.wait("it knows the runtimes", lambda: process.poll() is not None or self.status("/readyz"))
        self.assertIsNone(process.poll(), self.read("log"))
        return process

    def register(self):
        """The configuration as it is installed, but for the address. Returns when the API server asks the process."""
        own = json.loads(json.dumps(self.configuration))
        authority = encoded(self.cluster.path("webhooks/ca.crt"))
        own["webhooks"][0]["clientConfig"] = {"url": f"https://127.0.0.1:{self.ports[0]}/validate", "caBundle": authority}
        self.apply_all([own])
        self.addCleanup(self.cluster.kubectl, "delete", CONFIGURATION, "--ignore-not-found")
        self.wait("the API server asks", lambda: self.is_asked("trial"))

    def is_asked(self, name, *words):
        """Whether a job is reviewed before it is created."""
        before = self.reviews()
        self.create(job(name, self.runtime, "torchrun"), "--dry-run=server", *words)
        return self.reviews() > before

    def status(self, path):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.ports[1]}{path}", timeout=5) as answer:
                return answer.read().decode()
        except OSError:
            return ""

    def metric(self, name):
        """The sum of its series."""
        found = re.findall(rf"^trainjobc_webhook_{name}(?:{{.*}})? (\S+)$", self.status("/metrics"), re.MULTILINE)
        return sum(map(float, found))

    def reviews(self):
        return self.metric("review_seconds_count")

    def wait(self, what, is_so):
        deadline = time.monotonic() + SECONDS
        while not is_so():
            if time.monotonic() > deadline:
                self.fail(f"not seen: {what}\n{self.read('log')[-4000:]}")
            time.sleep(0.1)

    def create(self, item, *words):
        return run_kubectl(self.cluster, "--namespace", self.namespace, "create", "-f", "-", *words, stdin=json.dumps(item))

    def expect_created(self, name, run, *warnings):
        shown = "".join(f"Warning: {one}\n" for one in warnings)
        self.assertEqual((0, f"trainjob.trainer.kubeflow.org/{name} created\n", shown), run)
