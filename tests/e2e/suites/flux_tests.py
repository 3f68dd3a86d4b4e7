# SPDX-License-Identifier: Apache-2.0

"""The scripts of Flux jobs: those that Trainer wrote into its ConfigMap, and ours, do the same."""

import json
import os

import flux_sandbox
from flux_sandbox import Pod
from support import EndToEnd

GPUS = {"limits": {"nvidia.com/gpu": 2}}
RUNTIMES = {
    "bare": {},
    "rich": {
        "env": [{"name": "FLUX_QUEUE_POLICY", "value": "easy"}, {"name": "FLUX_NETWORK_DEVICE", "value": "ib0"}],
        "resources": GPUS,
        "command": ["bash", "-c", "echo *"],
    },
}
PROCESSES = {"bare": {}, "rich": {"numProcPerNode": 3}}


def variable(name, value):
    return {"name": f"FLUX_{name}", "value": value}


# Runtime and trainer of each job.
JOBS = {
    "one-node": ("bare", {"numNodes": 1}),
    "nodes": ("bare", {"numNodes": 3, "command": ["python", "train.py"], "args": ["--epochs", "3"]}),
    "processes": ("bare", {"numNodes": 2, "numProcPerNode": 4, "command": ["hostname"]}),
    "one-gpu": ("bare", {"numNodes": 2, "resourcesPerNode": {"limits": {"nvidia.com/gpu": 1}}, "command": ["true"]}),
    "gpus": ("bare", {"numNodes": 1, "numProcPerNode": 2, "resourcesPerNode": GPUS, "command": ["true"]}),
    "of-the-runtime": ("rich", {"numNodes": 2}),
    "over-the-runtime": (
        "rich",
        {
            "numNodes": 4,
            "numProcPerNode": 1,
            "resourcesPerNode": {"requests": {"cpu": 2}},
            "env": [variable("QUEUE_POLICY", "conservative"), variable("NETWORK_DEVICE", "eth1")],
            "command": ["bash", "-c", 'echo "$HOSTNAME" > "/tmp/a b"; exit 1'],
        },
    ),
    "empty-settings": ("rich", {"numNodes": 1, "env": [variable("QUEUE_POLICY", ""), variable("NETWORK_DEVICE", "")]}),
    "expanded-settings": (
        "bare",
        {"numNodes": 1, "env": [variable("QUEUE_POLICY", "$(echo a)-$PWD-`echo b`"), variable("NETWORK_DEVICE", "$0")]},
    ),
    "odd-settings": (
        "bare",
        {"numNodes": 1, "env": [variable("QUEUE_POLICY", '"\\'), variable("NETWORK_DEVICE", "{é} %s\nx = 1")]},
    ),
}
ENVIRONMENT = {"PYTHONPATH": "/own/python", "LD_LIBRARY_PATH": "/own/lib", "HOME": "/root"}


def runtime(name, container, policy):
    job = {
        "name": "node",
        "template": {
            "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
            "spec": {"template": {"spec": {"containers": [{"name": "node", "image": "example/flux:1", **container}]}}},
        },
    }
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": name},
        "spec": {"mlPolicy": {"numNodes": 1, "flux": policy}, "template": {"spec": {"replicatedJobs": [job]}}},
    }


def train_job(name, runtime_name, trainer):
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": name},
        "spec": {"runtimeRef": {"name": runtime_name}, "trainer": trainer},
    }


class Flux(EndToEnd):
    def setUp(self):
        if self.trainer_version == "2.1":
            self.skipTest("Trainer 2.1 has no Flux")
        if not flux_sandbox.is_possible():
            if os.environ.get("TRAINJOBC_E2E") == "required":
                self.fail("unshare makes no mount namespace")
            self.skipTest("unshare makes no mount namespace")
        super().setUp()

    def pods(self, name, command):
        first, second = f"{name}-node-0-0", f"{name}-node-0-1"
        yield Pod(first, command)
        if name not in ("one-node", "nodes"):  # without a command and with one
            return
        yield Pod(first, command, ENVIRONMENT, has_python=False)
        yield Pod(second, command, ENVIRONMENT, failures=2)
        yield Pod(first, command, failures=1)

    def scripts(self, name):
        """Trainer's, ours, and the command that they get."""
        self.kubectl("wait", "--for=create", f"configmap/{name}-flux-entrypoint", f"jobset/{name}", "--timeout=60s")
        theirs = self.live("configmap", f"{name}-flux-entrypoint")["data"]
        job = self.live("jobset", name)["spec"]["replicatedJobs"][0]
        [container] = job["template"]["spec"]["template"]["spec"]["containers"]
        status, out, err = self.run_program("render", "-o", "json", "runtimes.json", f"{name}.json")
        self.assertEqual((0, ""), (status, err))
        [ours] = [item["data"] for item in json.loads(out)["items"] if item["kind"] == "ConfigMap"]
        self.assertEqual(["/bin/bash", "/etc/flux-config/entrypoint.sh"], container["command"][:2])
        return theirs, ours, container["command"][2]

    def compare(self, pod, theirs, ours):
        live, rendered = flux_sandbox.run(pod, theirs), flux_sandbox.run(pod, ours)
        self.assertIn("flux R encode", live.calls)
        self.assertIn("mnt/flux/config/etc/flux/config/broker.toml", live.files)
        self.assertEqual("flux module load sched-fluxion-qmanager ", live.fluxion.splitlines()[-1])
        for part in ("calls", "files", "view", "fluxion"):
            self.assertEqual(getattr(live, part), getattr(rendered, part), part)
        # Trainer's end with 0 even then.
        is_first = pod.hostname.endswith("-0-0")
        self.assertEqual((0, 3 if pod.failures and is_first else 0), (live.status, rendered.status))

    def test_scripts(self):
        names = {name: f"{self.namespace}-{name}" for name in RUNTIMES}
        runtimes = [runtime(names[name], RUNTIMES[name], PROCESSES[name]) for name in RUNTIMES]
        self.write("runtimes.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": runtimes}))
        self.kubectl("create", "-f", self.folder + "/runtimes.json")
        for name, (runtime_name, trainer) in JOBS.items():
            self.write(f"{name}.json", json.dumps(train_job(name, names[runtime_name], trainer)))
            self.create_when_known(f"{name}.json")
        for name in JOBS:
            theirs, ours, command = self.scripts(name)
            for pod in self.pods(name, command):
                with self.subTest(name, pod=pod):
                    self.compare(pod, theirs, ours)
