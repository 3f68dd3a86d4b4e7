#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`--helm` with the real helm: the objects are those of `helm template | trainjobc render -`, findings and `explain` are at the
line of the template, dependencies are found by their aliases, and no chart makes helm fetch or read what is elsewhere.

usage: helm_test.py BINARY. Without helm it is skipped (77). `go install helm.sh/helm/v3/cmd/helm@latest` builds one.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BINARY = ""

JOB = """{{- /* A job. */ -}}
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: {{ .Release.Name }}-bert
  namespace: {{ .Release.Namespace }}
  labels:
    {{- include "training.labels" . | nindent 4 }}
    {{- with .Values.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  runtimeRef:
    name: torch-distributed
  trainer:
    image: {{ .Values.image | quote }}
    command: [torchrun, train.py]
    {{- if .Values.nodes }}
    numNodes: {{ .Values.nodes }}
    {{- end }}
    numProcPerNode: {{ .Values.procs }}
    env:
      {{- toYaml .Values.env | nindent 6 }}
{{- range .Values.others }}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: {{ .name }}
spec:
  runtimeRef:
    name: torch-distributed
  trainer:
    image: ghcr.io/team/{{ .name }}:1.0
    command: [torchrun, train.py]
    numNodes: {{ .nodes }}
{{- end }}
"""
HELPERS = """{{- define "training.labels" -}}
app.kubernetes.io/name: training
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
"""
TUNER = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: {{ .Release.Name }}-{{ .Chart.Name }}
spec:
  runtimeRef:
    name: torch-distributed
  trainer:
    image: ghcr.io/team/tune:1.0
    command: [torchrun, tune.py]
    numNodes: {{ .Values.nodes }}
"""
FILES = {
    "charts/training/Chart.yaml": "apiVersion: v2\nname: training\nversion: 0.1.0\n"
                                  "dependencies:\n- {name: tuner, version: 0.1.0, alias: second}\n",
    "charts/training/values.yaml": "image: ghcr.io/team/bert:1.0\nnodes: 2\nprocs: 8\nenv:\n- {name: LR, value: '0.1'}\n"
                                   "others:\n- {name: a, nodes: 1}\n- {name: b, nodes: 2}\nlabels: {owner: team-a}\n"
                                   "second:\n  nodes: 1\n",
    "charts/training/templates/job.yaml": JOB,
    "charts/training/templates/_helpers.tpl": HELPERS,
    "charts/training/charts/tuner/Chart.yaml": "apiVersion: v2\nname: tuner\nversion: 0.1.0\n",
    "charts/training/charts/tuner/values.yaml": "nodes: 1\n",
    "charts/training/charts/tuner/templates/job.yaml": TUNER,
    "envs/prod.yaml": "nodes: 8\n",
}


class Helm(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / ".git").mkdir()
        for name, text in FILES.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_us(self, *words, given=""):
        return subprocess.run([BINARY, *words], cwd=self.folder, input=given, capture_output=True, text=True)

    def built(self, *words):
        return subprocess.run(["helm", "template", *words], cwd=self.folder, capture_output=True, text=True, check=True).stdout

    def found(self, *words):
        done = self.run_us("lint", "-o", "json", *words)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return {(one["rule"], one["file"], one["line"]) for one in json.loads(done.stdout)["diagnostics"]}

    def test_objects(self):
        for values in ([], ["--values", "envs/prod.yaml"]):
            piped = self.run_us("render", "-", given=self.built("-n", "team-a", "prod", "charts/training", *values))
            ours = self.run_us("render", "-n", "team-a", "--helm", "charts/training", "--release", "prod", *values)
            # The job without a namespace has the release's, as helm would install it.
            named = self.run_us("render", "-n", "team-a", "-", given=self.built("-n", "team-a", "prod", "charts/training", *values))
            self.assertEqual((0, 0, named.stdout), (piped.returncode, ours.returncode, ours.stdout), values)
            self.assertEqual(4, ours.stdout.count("kind: JobSet"))

    def test_places(self):
        done = self.run_us("explain", "--helm", "charts/training", "--job", "release-name-bert", "-o", "json")
        self.assertEqual(0, done.returncode, done.stderr)
        for name, line in (("charts/training/templates/job.yaml", 16), ("charts/training/templates/job.yaml", 19)):
            self.assertIn(f'"file":"{name}","line":{line},', "".join(done.stdout.split()))

    def test_findings(self):
        self.assertEqual(set(), self.found("--helm", "charts/training"))
        self.write("envs/bad.yaml", "nodes: four\nsecond: {nodes: few}\nothers: [{name: c, nodes: one}]\n"
                                    "env: [{name: A, valu: b}]\nlabels: {'-': x}\n")
        template = "charts/training/templates/job.yaml"
        self.assertEqual({("input/type", template, 19), ("input/type", template, 36), ("input/unknown-field", template, 23),
                          ("input/label", template, 10), ("input/type", "charts/training/charts/tuner/templates/job.yaml", 11)},
                         self.found("--helm", "charts/training", "--values", "envs/bad.yaml"))
        text = self.run_us("lint", "--helm", "charts/training", "--values", "envs/bad.yaml").stdout
        self.assertIn("note: the value of .Values.nodes at envs/bad.yaml:1:8\n", text)
        self.assertIn("note: the value of .Values.nodes at envs/bad.yaml:2:17\n", text)

    def test_walk(self):
        self.write(".trainjobc.yaml", "helm:\n- charts/*\n- {chart: charts/training, values: [envs/prod.yaml], release: prod, "
                                      "namespace: team-b}\n")
        plan = json.loads(self.run_us("plan", "-o", "json", ".").stdout)
        self.assertEqual([("charts/training", "release-name-bert", 2), ("charts/training@prod+envs/prod.yaml", "prod-bert", 8)],
                         sorted((job["scope"], job["name"], job["nodes"]) for job in plan["jobs"] if "bert" in job["name"]))
        self.assertEqual(0, self.run_us("lint", ".").returncode)

    def test_nothing_else_is_read(self):
        self.write("charts/training/values.schema.json", '{"$ref": "http://127.0.0.1:9/schema.json"}')
        self.assertEqual(0, self.run_us("lint", "--helm", "charts/training").returncode)
        (self.folder / "charts/training/templates/host.yaml").symlink_to("/etc/hostname")
        done = self.run_us("lint", "--helm", "charts/training")
        self.assertEqual((2, "trainjobc: charts/training: charts/training/templates/host.yaml is a link out of the repository\n"),
                         (done.returncode, done.stderr))

    def test_errors(self):
        self.write("charts/training/templates/bad.yaml", '{{ required "image is missing" .Values.none }}\n')
        done = self.run_us("lint", "--helm", "charts/training")
        self.assertEqual(2, done.returncode)
        self.assertIn("trainjobc: helm template charts/training failed:\n    Error: ", done.stderr)
        self.assertIn("image is missing", done.stderr)


if __name__ == "__main__":
    if not shutil.which("helm"):
        print("skipped: there is no helm")
        sys.exit(77)
    BINARY = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
