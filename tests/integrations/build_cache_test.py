#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the real kustomize and helm built is kept: nothing is built again until a file changes that they read, of each kind
that they can read; and what does not depend on files alone is built each time.

usage: build_cache_test.py BINARY. Without kustomize and helm it is skipped (77); with one of them, the other one's part is.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BINARY = ""

JOB = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: bert}
spec:
  runtimeRef: {name: torch-distributed}
  trainer: {image: "ghcr.io/team/bert:1.0", command: [torchrun, train.py], numNodes: 1}
"""
PATCH = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: bert}
spec: {trainer: {numNodes: 2}}
"""
CRD = """apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.org}
spec: {group: example.org, scope: Cluster, names: {kind: Widget, plural: widgets}, versions: []}
"""
KUSTOMIZATIONS = {
    "base/job.yaml": JOB,
    "base/kustomization.yaml": "resources: [job.yaml]\n",
    "component/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches: [{path: add.yaml, "
                                    "target: {kind: TrainJob}}]\n",
    "component/add.yaml": "- {op: add, path: /metadata/labels, value: {team: a}}\n",
    "prod/kustomization.yaml": """resources: [../base]
components: [../component]
patches: [{path: patch.yaml}]
patchesStrategicMerge: [merge.yaml]
patchesJson6902: [{path: operations.yaml, target: {kind: TrainJob, name: bert, group: trainer.kubeflow.org, version: v1alpha1}}]
configMapGenerator: [{name: settings, files: [settings.txt, key=other.txt], envs: [settings.env]}]
replacements: [{path: replacement.yaml}]
configurations: [configuration.yaml]
crds: [crd.json]
openapi: {path: schema.json}
namePrefix: a-
""",
    "prod/patch.yaml": PATCH,
    "prod/merge.yaml": PATCH.replace("numNodes: 2", "image: \"ghcr.io/team/bert:2.0\""),
    "prod/operations.yaml": "- {op: add, path: /metadata/annotations, value: {a: b}}\n",
    "prod/settings.txt": "a\n",
    "prod/other.txt": "b\n",
    "prod/settings.env": "A=1\n",
    "prod/replacement.yaml": "source: {kind: ConfigMap, name: settings, fieldPath: metadata.name}\n"
                             "targets: [{select: {kind: TrainJob}, fieldPaths: [metadata.annotations.a]}]\n",
    "prod/configuration.yaml": "namePrefix: [{path: metadata/name, kind: TrainJob}]\n",
    "prod/crd.json": "{}\n",
    "prod/schema.json": '{"definitions": {}}\n',
}
# Each with a change of what is built, or at least of what is read.
CHANGES = {
    "base/job.yaml": JOB.replace("train.py", "other.py"),
    "base/kustomization.yaml": "resources: [job.yaml]\ncommonLabels: {a: b}\n",
    "component/kustomization.yaml": KUSTOMIZATIONS["component/kustomization.yaml"] + "labels: [{pairs: {c: d}}]\n",
    "component/add.yaml": "- {op: add, path: /metadata/labels, value: {team: b}}\n",
    "prod/kustomization.yaml": KUSTOMIZATIONS["prod/kustomization.yaml"].replace("namePrefix: a-", "namePrefix: b-"),
    "prod/patch.yaml": PATCH.replace("2", "3"),
    "prod/merge.yaml": KUSTOMIZATIONS["prod/merge.yaml"].replace("2.0", "3.0"),
    "prod/operations.yaml": "- {op: add, path: /metadata/annotations, value: {a: c}}\n",
    "prod/settings.txt": "c\n",
    "prod/other.txt": "c\n",
    "prod/settings.env": "A=2\n",
    "prod/replacement.yaml": KUSTOMIZATIONS["prod/replacement.yaml"].replace("metadata.name", "data.A"),
    "prod/configuration.yaml": "namePrefix: [{path: metadata/name, kind: Job}]\n",
    "prod/crd.json": '{"a": {}}\n',
    "prod/schema.json": '{"definitions": {"a": {}}}\n',
}

TEMPLATE = JOB.replace("numNodes: 1", "numNodes: {{ .Values.nodes }}").replace("bert:1.0", "bert:{{ .Values.global.tag }}")
SUBCHART = JOB.replace("name: bert", "name: tuner").replace("numNodes: 1", "numNodes: {{ .Values.nodes }}")
CHART = {
    "chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 0.1.0\n",
    "chart/values.yaml": "nodes: 1\nglobal: {tag: '1.0'}\n",
    "chart/values.schema.json": '{"type": "object"}\n',
    "chart/.helmignore": "*.bak\n",
    "chart/templates/job.yaml": TEMPLATE,
    "chart/templates/_helpers.tpl": '{{ define "a" }}a{{ end }}\n',
    "chart/templates/settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ include \"a\" . }}}\n"
                                     "data: {a: {{ .Files.Get \"files/a.txt\" | quote }}}\n",
    "chart/files/a.txt": "a\n",
    "chart/crds/widgets.yaml": CRD,
    "chart/charts/tuner/Chart.yaml": "apiVersion: v2\nname: tuner\nversion: 0.1.0\n",
    "chart/charts/tuner/values.yaml": "nodes: 1\n",
    "chart/charts/tuner/templates/job.yaml": SUBCHART,
    "prod.yaml": "nodes: 4\n",
}
CHART_CHANGES = {
    "chart/Chart.yaml": "apiVersion: v2\nname: other\nversion: 0.1.0\n",
    "chart/values.yaml": "nodes: 1\nglobal: {tag: '2.0'}\n",
    "chart/values.schema.json": '{"type": "object", "required": ["nodes"]}\n',
    "chart/.helmignore": "*.bak\nsettings.yaml\n",
    "chart/templates/job.yaml": TEMPLATE.replace("train.py", "other.py"),
    "chart/templates/_helpers.tpl": '{{ define "a" }}b{{ end }}\n',
    "chart/files/a.txt": "b\n",
    "chart/crds/widgets.yaml": CRD.replace("Cluster", "Namespaced"),
    "chart/charts/tuner/values.yaml": "nodes: 2\n",
    "chart/charts/tuner/templates/job.yaml": SUBCHART.replace("train.py", "other.py"),
    "prod.yaml": "nodes: 8\n",
}


class Repository(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.place = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.folder = self.place / "repository"
        (self.folder / ".git").mkdir(parents=True)
        self.cache = self.place / "cache" / "trainjobc" / "builds"
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(self.place / "cache")}

    def write(self, files):
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def run_us(self, *words):
        done = subprocess.run([BINARY, *words], cwd=self.folder, env=self.environment, capture_output=True, text=True,
                              timeout=120)
        self.assertNotEqual(2, done.returncode, done.stderr)
        return done.stdout + done.stderr

    def kept(self):
        return sorted(path.name for path in self.cache.iterdir()) if self.cache.exists() else []

    def check(self, *words):
        """Whether what `words` print is kept; it must be what they print without the cache, now and again."""
        before = self.kept()
        printed = self.run_us(*words)
        after = self.kept()
        self.assertEqual(self.run_us(*words, "--no-cache"), printed)
        self.assertEqual(self.run_us(*words), printed)
        self.assertEqual(after, self.kept())
        return before != after

    def check_changes(self, changes, *words):
        self.assertTrue(self.check(*words))
        for name, text in changes.items():
            with self.subTest(file=name):
                old = (self.folder / name).read_text()
                self.assertNotEqual(old, text)
                self.write({name: text})
                self.assertTrue(self.check(*words), "it is not built again")
                self.write({name: old})
                self.assertFalse(self.check(*words), "it is built again")


@unittest.skipUnless(shutil.which("kustomize"), "there is no kustomize")
class Kustomize(Repository):
    COMMAND = ("render", "-k", "prod")

    def setUp(self):
        super().setUp()
        self.write(KUSTOMIZATIONS)

    def test_each_file_counts(self):
        self.check_changes(CHANGES, *self.COMMAND)

    def test_a_file_that_appears(self):
        self.check(*self.COMMAND)
        self.write({"base/kustomization.yml": "resources: []\n"})
        done = subprocess.run([BINARY, *self.COMMAND], cwd=self.folder, env=self.environment, capture_output=True, text=True)
        self.assertEqual(2, done.returncode)
        self.assertIn("Found multiple kustomization files", done.stderr)

    def test_an_overlay_alone(self):
        self.write({f"overlays/{name}/kustomization.yaml": f"resources: [../../base]\nnamePrefix: {name}-\n" for name in "abc"})
        self.run_us("lint", "overlays", "base")
        before = len(self.kept())
        self.write({"overlays/b/kustomization.yaml": "resources: [../../base]\nnamePrefix: d-\n"})
        self.run_us("lint", "overlays", "base")
        self.assertEqual(before + 1, len(self.kept()))

    def test_the_environment(self):
        self.write({"prod/settings.env": "HOME\n"})
        self.assertFalse(self.check(*self.COMMAND))

    def test_a_link(self):
        (self.folder / "prod/patch.yaml").rename(self.folder / "prod/real.yaml")
        (self.folder / "prod/patch.yaml").symlink_to("real.yaml")
        self.assertFalse(self.check(*self.COMMAND))

    def test_a_secret(self):
        self.write({"prod/kustomization.yaml": KUSTOMIZATIONS["prod/kustomization.yaml"] +
                    "secretGenerator: [{name: token, literals: [a=b]}]\n"})
        self.run_us(*self.COMMAND)
        self.assertFalse(any(b"kind: Secret" in path.read_bytes() for path in self.cache.iterdir()))

    def test_the_setting(self):
        self.write({".trainjobc.yaml": "cache: false\n"})
        self.assertFalse(self.check(*self.COMMAND))


@unittest.skipUnless(shutil.which("helm"), "there is no helm")
class Helm(Repository):
    COMMAND = ("render", "--helm", "chart", "--values", "prod.yaml")

    def setUp(self):
        super().setUp()
        self.write(CHART)

    def test_each_file_counts(self):
        self.check_changes(CHART_CHANGES, *self.COMMAND)

    def test_flags(self):
        self.assertTrue(self.check(*self.COMMAND))
        self.assertTrue(self.check(*self.COMMAND, "--release", "other"))
        self.assertTrue(self.check(*self.COMMAND, "-n", "team-a"))
        self.assertFalse(self.check(*self.COMMAND))

    def test_chance(self):
        self.write({"chart/templates/job.yaml": TEMPLATE + "# {{ randAlphaNum 8 }}\n"})
        self.run_us(*self.COMMAND)
        before = self.kept()
        self.run_us(*self.COMMAND)
        self.assertEqual(before, self.kept())


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv.pop(1)).resolve())
    if not shutil.which("kustomize") and not shutil.which("helm"):
        print("skipped: there is neither kustomize nor helm")
        sys.exit(77)
    unittest.main()
