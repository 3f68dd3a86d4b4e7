#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`-k` with the real kustomize, or the one in kubectl: the objects are those of `kustomize build | trainjobc render -`, every
line that a finding or `explain` names has the value, `kustomize-config` makes kustomize know Trainer's kinds, and no
kustomization makes another program run.

usage: kustomize_test.py BINARY. Without kustomize and kubectl it is skipped (77).
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BINARY = ""
PROGRAM = ["kustomize", "build"] if shutil.which("kustomize") else ["kubectl", "kustomize"]

JOB = """# A job.
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: bert
spec:
  runtimeRef:
    name: team-torch
  trainer:
    image: ghcr.io/team/bert:1.0
    command: [torchrun, train.py]
    numNodes: 1
    env:
    - name: LR
      value: "0.1"
    - name: EPOCHS
      value: "3"
"""
RUNTIME = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata:
  name: team-torch
  labels: {trainer.kubeflow.org/framework: torch}
spec:
  mlPolicy: {numNodes: 1, torch: {}}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata:
            labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}
          spec:
            template:
              spec:
                containers:
                - name: node
                  image: ghcr.io/team/bert:1.0
                  volumeMounts:
                  - {name: settings, mountPath: /settings}
                volumes:
                - name: settings
                  configMap: {name: settings}
"""
FILES = {
    "base/job.yaml": JOB,
    "base/runtime.yaml": RUNTIME,
    "base/kustomization.yaml": "resources: [job.yaml, runtime.yaml]\n",
    "component/kustomization.yaml": """apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
patches:
- target: {kind: TrainJob}
  patch: |-
    - op: add
      path: /spec/trainer/env/-
      value: {name: SEED, value: "7"}
""",
    "overlays/patched/kustomization.yaml": """resources: [../../base]
components: [../../component]
namespace: team-a
labels:
- pairs: {owner: team-a}
patches:
- path: nodes.yaml
- target: {kind: TrainJob, name: bert}
  patch: |-
    - {op: replace, path: /spec/trainer/env/0/value, value: "0.2"}
""",
    "overlays/patched/nodes.yaml": """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: bert}
spec:
  trainer:
    numNodes: 4
""",
    "overlays/replaced/kustomization.yaml": """resources: [../../base]
configMapGenerator:
- name: sizes
  literals: [nodes=bigger]
replacements:
- source: {kind: ConfigMap, name: sizes, fieldPath: data.nodes}
  targets:
  - select: {kind: TrainJob}
    fieldPaths: [spec.trainer.env.1.value]
""",
    "overlays/again/kustomization.yaml": "resources: [../patched]\npatches:\n- path: more.yaml\n",
    "overlays/again/more.yaml": """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: bert}
spec: {trainer: {numNodes: 8}}
""",
    "configured/kustomization.yaml": """resources: [../base]
configurations: [fields.yaml]
namePrefix: dev-
images:
- {name: ghcr.io/team/bert, newTag: "2.0"}
replicas:
- {name: bert, count: 6}
configMapGenerator:
- name: settings
  literals: [a=b]
""",
    "unconfigured/kustomization.yaml": """resources: [../base]
namePrefix: dev-
images:
- {name: ghcr.io/team/bert, newTag: "2.0"}
""",
}


class Kustomize(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        fields = self.run_us("kustomize-config").stdout
        for name, text in {**FILES, "configured/fields.yaml": fields}.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_us(self, *words, given="", **more):
        return subprocess.run([BINARY, *words], cwd=self.folder, input=given, capture_output=True, text=True, **more)

    def built(self, root):
        return subprocess.run([*PROGRAM, root], cwd=self.folder, capture_output=True, text=True, check=True).stdout

    def test_objects(self):
        for root in ("base", "overlays/patched", "overlays/replaced", "overlays/again", "configured"):
            piped = self.run_us("render", "-", given=self.built(root))
            ours = self.run_us("render", "-k", root)
            self.assertEqual((0, piped.stdout), (ours.returncode, ours.stdout), root)
            self.assertIn("kind: JobSet", ours.stdout)

    def test_merge_keys(self):
        """With what --openapi prints, a patch of one container leaves the others, in a runtime and in a Deployment."""
        self.write("merged/keys.yaml", self.run_us("kustomize-config", "--openapi").stdout)
        self.write("merged/kustomization.yaml", "resources: [runtime.yaml, job.yaml, web.yaml]\nopenapi: {path: keys.yaml}\n"
                   "patches: [{path: patch.yaml}]\n")
        pods = "template: {spec: {containers: [{name: node%s}%s]}}"
        web = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {%s}\n"
        sidecar = ", {name: sidecar, image: 'r.io/b:1'}"
        self.write("merged/web.yaml", web % (pods % (", image: 'r.io/a:1'", sidecar)))
        self.write("merged/runtime.yaml", RUNTIME)
        self.write("merged/job.yaml", JOB)
        environment = ", env: [{name: SEED, value: '0.2'}]"
        self.write("merged/patch.yaml", web % (pods % (environment, "")) + f"""---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {{name: team-torch}}
spec: {{template: {{spec: {{replicatedJobs: [{{name: node, template: {{spec: {{{pods % (environment, "")}}}}}}}]}}}}}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {{name: bert}}
spec: {{trainer: {{env: [{{name: EPOCHS, value: "4"}}]}}}}
""")
        built = self.built("merged")
        for kept in ("image: r.io/a:1", "image: r.io/b:1", "image: ghcr.io/team/bert:1.0", 'value: "0.1"', 'value: "4"', 'value: "0.2"'):
            self.assertIn(kept, built)
        self.assertNotIn('value: "3"', built)
        self.assertEqual((0, ""), (lambda done: (done.returncode, done.stdout))(self.run_us("lint", "-k", "merged")))

    def test_places(self):
        """explain names, for each scalar of the JobSet that a file has, the line with the value."""
        for root in ("overlays/patched", "overlays/again"):
            done = self.run_us("explain", "-o", "json", "-k", root)
            self.assertEqual(0, done.returncode, done.stderr)
            places = set()
            for line in re.findall(r'"file": ?"([^"]+)",\s*"line": ?(\d+)', done.stdout):
                places.add(line)
                self.assertTrue((self.folder / line[0]).exists(), line)
            self.assertIn(("overlays/patched/kustomization.yaml", "9"), places)  # env/0/value, written inline
            self.assertIn(("component/kustomization.yaml", "5"), places)  # SEED
            self.assertIn(("base/job.yaml", "10"), places)  # the image
            nodes = ("overlays/patched/nodes.yaml", "6") if root.endswith("patched") else ("overlays/again/more.yaml", "4")
            self.assertIn(nodes, places)

    def test_findings(self):
        self.write("overlays/patched/nodes.yaml", FILES["overlays/patched/nodes.yaml"] + "    numProcs: 3\n")
        done = self.run_us("lint", "-o", "json", "-k", "overlays/patched", "-k", "overlays/again")
        found = json.loads(done.stdout)["diagnostics"]
        self.assertEqual(
            [("input/unknown-field", "overlays/patched/nodes.yaml", 7)],
            sorted({(one["rule"], one["file"], one["line"]) for one in found if one["severity"] == "error"}))

    def test_what_kustomize_does_not_know(self):
        done = self.run_us("lint", "-o", "json", "-k", "unconfigured")
        found = {(one["rule"], one["file"], one["line"]) for one in json.loads(done.stdout)["diagnostics"]}
        self.assertLessEqual({("advice/kustomize-images", "unconfigured/kustomization.yaml", 4),
                              ("input/missing-runtime", "base/job.yaml", 8)}, found)
        done = self.run_us("lint", "-k", "configured")
        self.assertEqual(("", 0), (done.stdout, done.returncode))
        rendered = self.run_us("render", "-k", "configured").stdout
        self.assertRegex(rendered, r"name: dev-settings-\w{10}\n")
        self.assertIn("image: ghcr.io/team/bert:2.0\n", rendered)
        self.assertIn("parallelism: 6\n", rendered)

    def test_walk(self):
        done = self.run_us("lint", "-v", "overlays", "base", "component")
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertIn("note: base/job.yaml is part of overlays/again, which was built: skipped\n", done.stderr)
        self.assertNotIn("overlays/patched/nodes.yaml:", done.stdout)
        plan = self.run_us("plan", "-o", "json", "overlays", "base", "component")
        scopes = {job["scope"]: job["nodes"] for job in json.loads(plan.stdout)["jobs"]}
        self.assertEqual({"overlays/again": 8, "overlays/replaced": 1}, scopes)

    def test_no_other_program(self):
        self.write("evil/kustomization.yaml", """resources: [../base]
generators:
- |-
  apiVersion: v1
  kind: Evil
  metadata:
    name: evil
    annotations: {config.kubernetes.io/function: "exec: {path: ./evil.sh}"}
""")
        self.write("evil/evil.sh", "#!/bin/sh\ntouch ran\n")
        os.chmod(self.folder / "evil/evil.sh", 0o755)
        done = self.run_us("lint", "-k", "evil")
        self.assertEqual(2, done.returncode)
        self.assertEqual([], [*self.folder.rglob("ran")])

    def test_nothing_is_fetched(self):
        """Whatever kustomize asks git for is refused, in a base, too; what it takes for a folder is built."""
        self.write("bin/git", f"#!/bin/sh\ntouch {self.folder}/fetched\nexit 1\n")
        os.chmod(self.folder / "bin/git", 0o755)
        environment = {**os.environ, "PATH": f"{self.folder}/bin{os.pathsep}{os.environ['PATH']}"}
        fetched = self.folder / "fetched"

        def ran_git(command):
            fetched.unlink(missing_ok=True)
            done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, check=False)
            return fetched.exists(), done.returncode

        def check(kustomization):
            self.write("nested/base/kustomization.yaml", kustomization)
            kustomize_fetches, _ = ran_git([*PROGRAM, "nested"])
            self.assertEqual((False, 2 if kustomize_fetches else 0), ran_git([BINARY, "lint", "-k", "nested"]), kustomization)
            return kustomize_fetches

        self.write("nested/kustomization.yaml", "resources: [base]\n")
        found = {}
        for path in ("github.com/x/y", "GitHub.com/x/y//z?ref=v1", "github.com:x/y", "git@host.org:a/b", "user@host.org:a/b.git",
                     "https://host.org/a/b.git", "ssh://git@host/a/b", "git::https://host/a/b", f"file://{self.folder}/base",
                     "org-1@github.com:x/y", "git@ssh.dev.azure.com:v3/a/b", "foo.git", "host.org/a/b.git", "o/_git/r",
                     "./github.com/x/y"):
            if ".." not in path and not path.startswith("/"):
                self.write(f"nested/base/{path}/kustomization.yaml", "resources: [job.yaml]\n")
                self.write(f"nested/base/{path}/job.yaml", JOB.replace("team-torch", "torch-distributed"))
            found[path] = check(f'resources: ["{path}"]\n')
        self.assertEqual(["foo.git", "host.org/a/b.git", "o/_git/r", "./github.com/x/y"], [path for path in found if not found[path]])
        for kustomization in ("resources: [foo.git]\nresources: [foo.git, github.com/x/y]\n",
                              "resources: [foo.git, github.com/x/y]\n---\na: b\n", "Resources: [foo.git, github.com/x/y]\n",
                              "resources: [foo.git]\nComponents: [github.com/x/y]\n", "re\u017fources: [github.com/x/y]\n",
                              "<<: {resources: [github.com/x/y]}\n", '{"resources": ["github\\u002ecom/x/y"]}\n',
                              "resources: [foo.git]\ngenerators: [github.com/x/y]\n"):
            self.assertTrue(check(kustomization), kustomization)

    def test_editor(self):
        """The language server shows what lint finds, before and after a patch is saved."""
        wrong = FILES["overlays/patched/nodes.yaml"] + "    numProcs: 3\n"
        path = self.folder / "overlays/patched/nodes.yaml"
        self.write("overlays/patched/nodes.yaml", wrong)
        found = json.loads(self.run_us("lint", "-o", "json", ".").stdout)["diagnostics"]
        messages = [("initialize", {"rootUri": self.folder.as_uri(), "capabilities": {}}), ("initialized", {}),
                    ("textDocument/didOpen", {"textDocument": {"uri": path.as_uri(), "languageId": "yaml", "version": 1,
                                                               "text": wrong}})]
        with subprocess.Popen([BINARY, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
            def send(method, params, **more):
                body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
                server.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
                server.stdin.flush()

            def published(document):
                """The findings on it that come next."""
                while True:
                    length = int(server.stdout.readline().split(b":")[1])
                    server.stdout.readline()
                    message = json.loads(server.stdout.read(length))
                    if message.get("params", {}).get("uri") == document.as_uri():
                        return {(one["code"], one["range"]["start"]["line"] + 1) for one in message["params"]["diagnostics"]}

            for method, params in messages:
                send(method, params, **({"id": 1} if method == "initialize" else {}))
            of_lint = {(one["rule"], one["line"]) for one in found if one["file"].endswith("overlays/patched/nodes.yaml")}
            self.assertEqual({("input/unknown-field", 7)}, of_lint)
            self.assertEqual(of_lint, published(path))
            self.write("overlays/patched/nodes.yaml", FILES["overlays/patched/nodes.yaml"])
            send("textDocument/didChange", {"textDocument": {"uri": path.as_uri(), "version": 2},
                                            "contentChanges": [{"text": FILES["overlays/patched/nodes.yaml"]}]})
            send("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})
            self.assertEqual(set(), published(path))
            server.kill()

    def test_dashes(self):
        shutil.copytree(self.folder / "base", self.folder / "-base")
        self.assertEqual(0, self.run_us("render", "--kustomize=-base").returncode)


if __name__ == "__main__":
    if not shutil.which(PROGRAM[0]):
        print("skipped: there is neither kustomize nor kubectl")
        sys.exit(77)
    BINARY = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
