# SPDX-License-Identifier: Apache-2.0

"""trainjobc.kubeflow.guard on a control plane with the real controllers: what it refuses, the cluster refuses or never runs;
what it lets pass, runs. Skipped without the Python module and the SDK, which `tools/python.sh BUILD` installs."""

import glob
import json
import os
import subprocess
import time
import unittest

from support import EndToEnd

E2E = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SECONDS = 120
CLAIMS = 40  # nothing provisions volumes here

# The rules by which guard refuses, and whether the cluster stores the TrainJob, which then has no pods.
REFUSED = {
    "a-label": ("input/label", False),
    "a-quantity": ("input/quantity", False),
    "a-reserved-variable": ("input/reserved-env", False),
    "a-patched-variable": ("input/patch-env", False),
    "Capitals": ("input/name", False),
    "a-name-too-long-" + "x" * 50: ("input/cel", False),
    "a-name-too-long-for-pods-" + "x" * 35: ("jobset/name-length", True),
    "another-job-patched": ("job/image", True),
    "half-a-gpu": ("job/resources", True),
    "no-such-volume": ("job/volume-mount", True),
    "a-negative-number": ("job/spec", True),
}


def volume(index):
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": f"guard-{index}"},
        "spec": {
            "capacity": {"storage": "1Ti"},
            "accessModes": ["ReadWriteOnce", "ReadWriteMany"],
            "hostPath": {"path": "/data"},
        },
    }


class Guard(EndToEnd):
    def setUp(self):
        if self.trainer_version != "2.3":
            self.skipTest("the SDK's models are those of Trainer 2.3")
        build = os.path.dirname(self.program)
        self.python = os.path.join(build, "python-venv/bin/python")
        self.environment = {**self.cluster.environment(), "PYTHONPATH": os.path.join(build, "python"), "PYTHONWARNINGS": "ignore"}
        try:
            subprocess.run([self.python, "-c", "import trainjobc.kubeflow, kubeflow.trainer"], env=self.environment, capture_output=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            raise unittest.SkipTest("the Python module or the SDK is not there: make python") from None
        super().setUp()

    def make_runtimes(self):
        """Those of the catalogue, and what they need: volumes for their claims, a service account."""
        folder = os.path.join(E2E, f"../../templates/v{self.trainer_version}")
        self.cluster.kubectl("create", "-f", folder)
        self.addCleanup(self.cluster.kubectl, "delete", "-f", folder)
        self.kubectl("create", "serviceaccount", "kubeflow-trainer-cache-initializer")
        volumes = json.dumps({"apiVersion": "v1", "kind": "List", "items": [volume(index) for index in range(CLAIMS)]})
        self.cluster.kubectl("create", "-f", "-", stdin=volumes)
        self.addCleanup(self.cluster.kubectl, "delete", "--wait=false", "-f", "-", stdin=volumes)

    def train(self, *older):
        """What guard and the cluster say of each case of sdk_jobs.py."""
        environment = {**self.environment, "PYTHONPATH": ":".join([self.environment["PYTHONPATH"], *older])}
        command = [self.python, os.path.join(E2E, "sdk_jobs.py"), self.namespace, self.trainer_version]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(0, done.returncode, done.stderr)
        return json.loads(done.stdout)

    def conditions(self):
        """Of each TrainJob, the types of those that are true."""
        jobs = json.loads(self.kubectl("get", "trainjobs", "-o", "json"))["items"]
        return {
            one["metadata"]["name"]: {it["type"] for it in one.get("status", {}).get("conditions", []) if it["status"] == "True"}
            for one in jobs
        }

    def until_complete(self, names):
        """Those of them that have not."""
        deadline = time.monotonic() + SECONDS
        while True:
            conditions = self.conditions()
            left = {name: conditions.get(name) for name in names if "Complete" not in conditions.get(name, ())}
            if not left or time.monotonic() > deadline:
                return left
            time.sleep(1)

    def started(self):
        """The JobSets of which a pod has run."""
        pods = json.loads(self.kubectl("get", "pods", "-o", "json"))["items"]
        ran = (pod["metadata"]["labels"] for pod in pods if pod["status"].get("phase") in ("Running", "Succeeded", "Failed"))
        return {labels.get("jobset.sigs.k8s.io/jobset-name") for labels in ran}

    def check(self, said):
        passed = [name for name, one in said.items() if not one["rules"]]
        self.assertEqual({}, self.until_complete(passed))
        refused = {name: (*one["rules"], one["stored"]) for name, one in said.items() if one["rules"]}
        self.assertEqual(set(), self.started() & set(refused))
        self.assertEqual(REFUSED, refused)
        self.assertGreater(len(passed), 20)
        print(f"{len(passed)} ran, {len(refused)} did not", end=" ", flush=True)

    def test_guard(self):
        """With the SDK's release that is installed, and the one before."""
        self.make_runtimes()
        for older in ([], glob.glob(os.path.join(os.path.dirname(self.program), "python-sdk-*"))):
            with self.subTest(older):
                self.check(self.train(*older))
            self.kubectl("delete", "trainjobs", "--all", "--cascade=foreground")
