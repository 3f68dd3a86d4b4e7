# SPDX-License-Identifier: Apache-2.0

"""What commands read from an API server: runtimes pull, runtimes check --cluster."""

import json
import os
import subprocess

from support import EndToEnd

CLUSTER_RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: shared
  labels:
    trainer.kubeflow.org/framework: torch
spec:
  mlPolicy:
    numNodes: 2
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
            template:
              spec:
                containers:
                - name: node
                  image: registry.example/train:1
"""
OWN_RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata:
  name: own
  namespace: NS
spec:
  mlPolicy:
    numNodes: 1
  template:
    metadata:
      labels:
        team: blue
    spec:
      replicatedJobs:
      - name: node
        template:
          spec:
            template:
              spec:
                containers:
                - name: node
                  image: registry.example/own:1
"""


class Reading(EndToEnd):
    def run_words(self, *words, user="admin"):
        done = subprocess.run(
            [self.program, *words, f"--context={user}"],
            cwd=self.folder,
            env=self.cluster.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, self.settled(done.stdout), self.settled(done.stderr)

    def make(self, text):
        """As people do, with kubectl apply, which leaves its annotation."""
        self.kubectl("apply", "-f", "-", stdin=text.replace("NS", self.namespace))

    def make_runtimes(self):
        self.make(CLUSTER_RUNTIME)
        self.addCleanup(self.kubectl, "delete", "clustertrainingruntime", "shared")
        self.make(OWN_RUNTIME)
        self.addCleanup(self.kubectl, "delete", "trainingruntime", "own")


class Runtimes(Reading):
    def pull(self, *words, **named):
        return self.run_words("runtimes", "pull", *words, "runtimes", **named)

    def check(self, *words, **named):
        return self.run_words("runtimes", "check", "--trainer-version=2.3", "runtimes", *words, **named)

    def generation(self, kind, name):
        return self.live(kind, name)["metadata"]["generation"]

    def test_pull(self):
        self.make_runtimes()
        self.expect(self.pull(), 0, "runtimes/NS/own.yaml\nruntimes/shared.yaml\n")
        self.assertEqual(CLUSTER_RUNTIME, self.read("runtimes/shared.yaml"))
        own = f"runtimes/{self.namespace}/own.yaml"
        self.assertEqual(OWN_RUNTIME.replace("NS", self.namespace), self.read(own))
        # What was pulled is what is there.
        before = self.generation("clustertrainingruntime", "shared"), self.generation("trainingruntime", "own")
        for name in ("runtimes/shared.yaml", own):
            self.kubectl("apply", "--server-side", "--force-conflicts", "-f", os.path.join(self.folder, name))
        after = self.generation("clustertrainingruntime", "shared"), self.generation("trainingruntime", "own")
        self.assertEqual(before, after)

    def test_check(self):
        self.make_runtimes()
        self.assertEqual(0, self.pull()[0])
        self.expect(
            self.check("--cluster"),
            0,
            "ClusterTrainingRuntime/shared   not in the catalogue of Trainer 2.3   runtimes/shared.yaml:1\n"
            "TrainingRuntime/NS/own   not in the catalogue of Trainer 2.3   runtimes/NS/own.yaml:1\n"
            "ClusterTrainingRuntime/shared   same as in the cluster   runtimes/shared.yaml:1\n"
            "TrainingRuntime/NS/own   same as in the cluster   runtimes/NS/own.yaml:1\n",
        )
        patch = {"spec": {"mlPolicy": {"numNodes": 8}}}
        self.kubectl("patch", "trainingruntime", "own", "--type=merge", "-p", json.dumps(patch))
        self.write("runtimes/shared.yaml", CLUSTER_RUNTIME.replace("shared", "renamed"))
        self.expect(
            self.check("--cluster"),
            1,
            "ClusterTrainingRuntime/renamed   not in the catalogue of Trainer 2.3   runtimes/shared.yaml:1\n"
            "TrainingRuntime/NS/own   not in the catalogue of Trainer 2.3   runtimes/NS/own.yaml:1\n"
            "ClusterTrainingRuntime/renamed   not in the cluster   runtimes/shared.yaml:1\n"
            "ClusterTrainingRuntime/shared   only in the cluster\n"
            "TrainingRuntime/NS/own   differs from the cluster   runtimes/NS/own.yaml:1\n"
            "  spec.mlPolicy.numNodes   8 → 1   runtimes/NS/own.yaml:8\n",
        )

    def test_who_may_not_read_them(self):
        refused = (
            "trainjobc: you are not allowed to do this in this cluster: ask for a role that allows it, or choose another "
            "context\n"
            "  kubectl get clustertrainingruntimes.trainer.kubeflow.org -o json --context=guest: exit status 1\n"
            '  Error from server (Forbidden): clustertrainingruntimes.trainer.kubeflow.org is forbidden: User "guest" '
            'cannot list resource "clustertrainingruntimes" in API group "trainer.kubeflow.org" at the cluster scope\n'
        )
        self.expect(self.pull(user="guest"), 2, "", refused)
        self.write("runtimes/shared.yaml", CLUSTER_RUNTIME)
        self.expect(self.check("--cluster", user="guest"), 2, "", refused)
