#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two clusters that define the same job and runtime: every command reads them as two scopes, and names these in its reports.

usage: scopes_test.py BINARY
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BINARY = ""
SCOPES = ["clusters/prod", "clusters/staging"]
JOB = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: bert, namespace: team-a}
spec:
  runtimeRef: {name: mine}
  trainer: {image: "r.io/train:1", command: [torchrun, train.py], numNodes: %d}
"""
RUNTIME = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: mine, labels: {trainer.kubeflow.org/framework: torch}}
spec:
  mlPolicy: {torch: {}}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec: {template: {spec: {containers: [{name: node, image: "r.io/a:1"}]}}}
"""
SHARED = "clusters/prod and clusters/staging both define TrainJob team-a/bert"


class Scopes(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for nodes, scope in enumerate(SCOPES, 1):
            self.write(f"{scope}/.trainjobc.yaml", 'trainerVersion: "2.3"\n')
            self.write(f"{scope}/bert.yaml", JOB % nodes)
            self.write(f"{scope}/runtime.yaml", RUNTIME)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_us(self, *words):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("TRAINJOBC_")}
        done = subprocess.run([BINARY, *words], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout, done.stderr

    def test_names_may_occur_in_each(self):
        self.assertEqual((0, "", "2 jobs, 2 runtimes: no findings\n"), self.run_us("lint", "clusters"))
        status, out, err = self.run_us("render", "-o", "name", "clusters")
        self.assertEqual((0, "jobset.jobset.x-k8s.io/bert\n" * 2), (status, out))
        self.assertEqual(f"note: {SHARED}, for a cluster each: --output-dir writes each scope into a folder of its own\n", err)
        self.assertEqual(0, self.run_us("render", "--output-dir", "out", "clusters")[0])
        written = sorted(str(path.parent.relative_to(self.folder)) for path in (self.folder / "out").rglob("*.yaml"))
        self.assertEqual([f"out/{scope}" for scope in SCOPES], written)
        self.assertEqual("nothing to migrate to Trainer 2.3 in 4 objects\n", "".join(self.run_us("migrate", "clusters")[1:]))

    def test_twice_in_one_scope(self):
        """lint and render agree on what is defined twice."""
        self.write("clusters/prod/again.yaml", JOB % 3)
        for command in (["lint"], ["render"], ["plan"], ["explain"], ["graph"]):
            status, out, err = self.run_us(*command, "clusters")
            self.assertNotEqual(0, status, command)
            self.assertIn("clusters/prod/bert.yaml:3:18: error: TrainJob/team-a/bert is defined twice", out + err, command)
            self.assertNotIn("clusters/staging", out + err if command == ["lint"] else "", command)

    def test_runtimes_do_not_serve_others(self):
        (self.folder / "clusters/staging/runtime.yaml").unlink()
        for command in ("lint", "render", "plan", "explain", "graph"):
            status, out, err = self.run_us(command, "clusters")
            self.assertNotEqual(0, status, command)
            self.assertIn('clusters/staging/bert.yaml:5:22: error: there is no ClusterTrainingRuntime "mine"', out + err, command)
            self.assertIn("clusters/prod/runtime.yaml:1 has one, in another scope", out + err, command)

    def test_reports_name_the_scope(self):
        plan = json.loads(self.run_us("plan", "-o", "json", "clusters")[1])
        self.assertEqual(list(zip(SCOPES, (1, 2))), [(job["scope"], job["nodes"]) for job in plan["jobs"]])
        self.assertEqual(SCOPES, [line.split()[0] for line in self.run_us("runtimes", "--used-by", "mine", "clusters")[1].splitlines()[1:]])
        graph = self.run_us("graph", "clusters")[1]
        for scope in SCOPES:
            self.assertIn(f'"{scope}: TrainJob team-a/bert"', graph)
        self.assertEqual((0, "Trainer 2.2 → 2.3: no difference in 2 jobs\n"),
                         self.run_us("diff", "--from-version", "2.2", "--to-version", "2.3", "clusters")[:2])

    def test_about_one_cluster(self):
        self.assertEqual((2, "", f"trainjobc: {SHARED}: compare one scope at a time\n"), self.run_us("diff", "clusters"))
        self.assertEqual((2, "", f"trainjobc: {SHARED}, and a cluster has one of them: name the folder of one scope\nnothing was sent\n"),
                         self.run_us("submit", "clusters"))


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
