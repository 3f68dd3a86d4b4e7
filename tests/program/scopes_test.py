#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two clusters that define the same job and runtime: every command reads them as two scopes, and names these in its reports.

usage: scopes_test.py BINARY
"""
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
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
MARKER = "---\n" + JOB.replace("bert", "marker") % 1 + "  nope: 1\n"
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
REPORT = """TrainJob team-a/bert in after/prod   no longer accepted
%s
after/prod/again.yaml:6  spec.trainer.numNodes   changes 1 object
  spec.replicatedJobs[node]…containers[node].env[PET_NNODES].value   "1" → "3"
  spec.replicatedJobs[node].template.spec.parallelism   1 → 3
  spec.replicatedJobs[node].template.spec.completions   1 → 3
  in JobSet team-a/bert in after/prod

1 of 2 jobs changes, 1 no longer accepted
cost: +2 pods in team-a of after/prod
update: Trainer 2.3 refuses to change spec.trainer of a TrainJob that exists: delete team-a/bert in after/prod and create it again \
(submit --replace)
"""


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
        for command in (["lint"], ["render"], ["plan"], ["explain"], ["graph"], ["diff", "--from-version", "2.2", "--to-version", "2.3"]):
            status, out, err = self.run_us(*command, "clusters")
            self.assertNotEqual(0, status, command)
            self.assertIn("clusters/prod/bert.yaml:3:18: error: TrainJob/team-a/bert is defined twice", out + err, command)
            self.assertNotIn("clusters/staging", out + err if command == ["lint"] else "", command)

    def test_twice_in_any_tree(self):
        """In random trees of folders, with settings that make a scope and settings that make none, every command finds twice what
        is twice in a scope."""
        for seed in range(25):
            with self.subTest(seed):
                folder = f"trees/{seed}"
                scopes, expected = self.write_tree(folder, random.Random(seed))
                places = set()
                for command in (["lint", "-o", "text"], ["render"], ["plan"], ["explain"]):
                    status, out, err = self.run_us(*command, folder)
                    found = re.findall(r"^(\S+):\d+:\d+: error: (\S+) is defined twice", out + err, re.MULTILINE)
                    places.add(tuple(sorted(found)))
                    self.assertEqual(expected, sorted((scopes[file.rpartition("/")[0]], about) for file, about in found), command)
                    self.assertEqual(bool(expected), status != 0, command)
                self.assertEqual(1, len(places))

    def write_tree(self, root, choose):
        """The scope of each folder, and the objects of scopes that are defined again."""
        folders = [root]
        for number in range(choose.randint(2, 6)):
            folders.append(f"{choose.choice(folders)}/d{number}")
        scopes = {}
        for folder in folders:  # a folder's parent comes before it
            settings = choose.choice(["", "", "trainerVersion: '2.3'\n", "scope: false\n"])
            if settings:
                self.write(f"{folder}/.trainjobc.yaml", settings)
            scopes[folder] = folder if "Version" in settings else scopes.get(folder.rpartition("/")[0], "")
            for number in range(choose.randint(0, 3)):
                kinds = [choose.choice([JOB.replace("mine", "torch-distributed") % 1, RUNTIME]) for _ in range(2)]
                self.write(f"{folder}/f{number}.yaml", "---\n".join(text.replace("bert", choose.choice("ab")) for text in kinds))
        self.write(f"{root}/one.yaml", JOB.replace("bert", "one").replace("mine", "torch-distributed") % 1)
        seen = []
        for path in (self.folder / root).rglob("*.yaml"):
            scope = scopes[str(path.parent.relative_to(self.folder))]
            for kind, name in re.findall(r"^kind: (\w+)\nmetadata: \{name: (\w+)", path.read_text(), re.MULTILINE):
                seen.append((scope, f"{kind}/team-a/{name}" if kind == "TrainJob" else f"{kind}//{name}"))
        once = set(seen)
        return scopes, sorted(one for one in once for _ in range(seen.count(one) - 1))

    def test_twice_in_a_state(self):
        """What diff compares is the first one; that it can't be deployed is said, and is an error."""
        for folder in ("before", "after"):
            shutil.copytree(self.folder / "clusters", self.folder / folder)
        self.write("after/prod/again.yaml", JOB % 3)
        twice = """after/prod/bert.yaml:3:18: error: TrainJob/team-a/bert is defined twice [input/duplicate-object]
    3 | metadata: {name: bert, namespace: team-a}
      |                  ^~~~
  note: the first one at after/prod/again.yaml:3:18
"""
        status, out, err = self.run_us("diff", "before", "after")
        self.assertEqual((2, REPORT % twice), (status, out))

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
        explained = json.loads(self.run_us("explain", "--field", "parallelism", "-o", "json", "clusters")[1])["fields"]
        self.assertEqual(list(zip(SCOPES, (1, 2))), [(field["scope"], field["value"]) for field in explained])
        explained = self.run_us("explain", "--field", "parallelism", "clusters")[1].splitlines()
        self.assertEqual([f"JobSet team-a/bert in {scope}" for scope in SCOPES], explained[::3])
        self.assertEqual((0, "Trainer 2.2 → 2.3: no difference in 2 jobs\n"),
                         self.run_us("diff", "--from-version", "2.2", "--to-version", "2.3", "clusters")[:2])

    def test_about_one_cluster(self):
        self.assertEqual((2, "", f"trainjobc: {SHARED}: compare one scope at a time\n"), self.run_us("diff", "clusters"))
        self.assertEqual((2, "", f"trainjobc: {SHARED}, and a cluster has one of them: name the folder of one scope\nnothing was sent\n"),
                         self.run_us("submit", "clusters"))
        for choice in ([], ["--job", "bert"], ["--job", "team-a/bert"]):
            self.assertEqual((2, "", f"trainjobc: {SHARED}: name the folder of one scope\n"), self.run_us("compose", *choice, "clusters"))

    def test_roots(self):
        """Two kustomizations of one base are two scopes; a file that both a folder and a kustomization have is used once in each."""
        if not (shutil.which("kustomize") or shutil.which("kubectl")):
            self.skipTest("neither kustomize nor kubectl is installed")
        self.write("base/kustomization.yaml", "resources: [bert.yaml]\n")
        self.write("base/bert.yaml", JOB % 1)
        for overlay in ("a", "b"):
            self.write(f"overlays/{overlay}/kustomization.yaml", "resources: [../../base]\n")
        rows = self.run_us("runtimes", "--used-by", "mine", "-k", "overlays/a", "-k", "overlays/b", "-k", "overlays/a")[1].splitlines()[1:]
        self.assertEqual([f"overlays/{overlay}  mine     ClusterTrainingRuntime  team-a/bert  base/bert.yaml:1" for overlay in "ab"], rows)

    def test_editor(self):
        """The language server finds what lint finds."""
        self.assertEqual([], self.published())
        self.write("clusters/prod/again.yaml", JOB % 3)
        self.assertEqual([("clusters/prod/bert.yaml", "input/duplicate-object", "TrainJob/team-a/bert is defined twice")], self.published())
        (self.folder / "clusters/prod/again.yaml").unlink()
        (self.folder / "clusters/staging/runtime.yaml").unlink()
        self.assertEqual([("clusters/staging/bert.yaml", "input/missing-runtime", 'there is no ClusterTrainingRuntime "mine"')],
                         self.published())

    def published(self):
        """File, rule and message of what is published for both jobs. Another job in each file has a mistake, so that something is."""
        files = [self.folder / scope / "bert.yaml" for scope in SCOPES]
        opened = [{"uri": file.as_uri(), "languageId": "yaml", "version": 1, "text": file.read_text() + MARKER} for file in files]
        messages = [{"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": self.folder.as_uri(), "capabilities": {}}},
                    {"method": "initialized", "params": {}},
                    *({"method": "textDocument/didOpen", "params": {"textDocument": document}} for document in opened)]
        found = {}
        with subprocess.Popen([BINARY, "lsp", "--stdio"], cwd="/", stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
            timer = threading.Timer(60, server.kill)
            timer.start()
            for message in messages:
                body = json.dumps({"jsonrpc": "2.0", **message}).encode()
                server.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            server.stdin.flush()
            while len(found) < len(files) and (head := server.stdout.readline()):
                server.stdout.readline()
                message = json.loads(server.stdout.read(int(head.split(b":")[1])))
                if message.get("method") == "textDocument/publishDiagnostics":
                    name = message["params"]["uri"].removeprefix(self.folder.as_uri() + "/")
                    found[name] = [(name, one["code"], one["message"].split(";")[0]) for one in message["params"]["diagnostics"]
                                   if one["range"]["start"]["line"] < JOB.count("\n")]
            server.kill()
            timer.cancel()
        return [one for diagnostics in found.values() for one in diagnostics]

    def test_function(self):
        """What a KRM function is given is one scope: of one cluster, it makes what render makes; what two clusters both define is
        defined twice."""
        def run(*scopes):
            items = [(self.folder / scope / name).read_text() for scope in scopes for name in ("bert.yaml", "runtime.yaml")]
            lines = "".join("- " + text.replace("\n", "\n  ").rstrip(" ") for text in items)
            done = subprocess.run([BINARY, "function"], input="apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n" + lines,
                                  cwd=self.folder, capture_output=True, text=True, timeout=120)
            return done.returncode, done.stdout, done.stderr
        for scope in SCOPES:
            status, out, err = run(scope)
            self.assertEqual((0, ""), (status, err))
            rendered = "".join("  " + line + "\n" for line in self.run_us("render", scope)[1].splitlines())
            self.assertIn("- " + rendered[2:], out)
        status, out, err = run(*SCOPES)
        self.assertEqual(1, status)
        self.assertEqual("error: TrainJob/team-a/bert: TrainJob/team-a/bert is defined twice [input/duplicate-object]\n"
                         "error: ClusterTrainingRuntime//mine: ClusterTrainingRuntime//mine is defined twice [input/duplicate-object]\n", err)


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
