#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each command under valgrind: no memory is lost, none is read that was not written. Skipped without valgrind.

usage: valgrind_test.py TRAINJOBC
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
JOB = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: NAME
spec:
  runtimeRef:
    name: RUNTIME
  trainer:
    numNodes: NODES
    image: registry.example/train
    env:
    - {name: HF_TOKEN, value: hf_0123456789012345678901234}
"""
RUNTIME = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: {name: old}
spec:
  mlPolicy: {numNodes: 1, torch: {numProcPerNode: auto}}
  template: {spec: {replicatedJobs: [{name: node, template: {metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}},
    spec: {template: {spec: {containers: [{name: node, image: i}]}}}}}]}}
"""
LIST = """apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: trainer.kubeflow.org/v1alpha1
  kind: TrainJob
  metadata: {name: a}
  spec: {runtimeRef: {name: torch-distributed}}
"""
# Stands in for kubectl: a cluster that has nothing, and that takes everything.
KUBECTL = """#!/bin/sh
case "$*" in
  *apply*|*create*) cat > /dev/null; echo 'jobset.jobset.x-k8s.io/a created' ;;
  *) cat > /dev/null; echo '{"apiVersion": "v1", "kind": "List", "items": []}' ;;
esac
"""
# An editor that opens a file with a mistake, and ends.
MESSAGES = ['{"id": 1, "method": "initialize", "params": {"rootUri": "file:///none"}}', '{"method": "initialized"}',
            '{"method": "textDocument/didOpen", "params": {"textDocument": {"uri": "file:///none/a.yaml", "version": 1, "text": "kind: TrainJob"}}}',
            '{"id": 2, "method": "textDocument/codeAction", "params": {"textDocument": {"uri": "file:///none/a.yaml"}, "range": '
            '{"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}}}',
            '{"id": 3, "method": "textDocument/hover", "params": {"textDocument": {"uri": "file:///none/a.yaml"}, "position": '
            '{"line": 0, "character": 1}}}', '{"id": 4, "method": "shutdown"}', '{"method": "exit"}']
SESSION = "".join(f"Content-Length: {len(message)}\r\n\r\n{message}" for message in MESSAGES)
# The arguments of each command, and its standard input. A new command needs a line here.
RUNS = {
    "render": [(["a.yaml", "mpi.yaml", "--threads", "2"], ""), (["-o", "json", "--output-dir", "out", "a.yaml"], ""),
               (["--ssh-key", "seed:seed", "--with-defaults", "mpi.yaml"], ""), (["broken.yaml"], ""), (["--no-such"], "")],
    "lint": [(["a.yaml", "bad.yaml", "runtime.yaml"], ""), (["--format", "sarif", "bad.yaml"], ""), (["--fix", "fixed.yaml"], ""),
             (["--list-rules"], "")],
    "explain": [(["a.yaml", "mpi.yaml"], ""), (["--field", "..image", "a.yaml"], "")],
    "plan": [(["a.yaml", "mpi.yaml"], ""), (["--ranks", "-o", "json", "mpi.yaml"], "")],
    "compose": [(["a.yaml"], ""), (["--nodes", "2", "--cpu", "--mount", ".:/workspace", "mpi.yaml"], "")],
    "graph": [(["a.yaml", "mpi.yaml"], ""), (["-o", "dot", "mpi.yaml"], "")],
    "diff": [(["--live", "live.json", "new.yaml"], ""), (["--from", "a.yaml", "--format", "markdown", "new.yaml"], ""),
             (["a.yaml", "mpi.yaml"], ""), (["--from-version", "2.1", "--to-version", "2.3", "a.yaml"], "")],
    "submit": [(["a.yaml"], "")],
    "migrate": [(["--to", "2.3", "-"], JOB.replace("NAME", "a").replace("NODES", "1") + "  podSpecOverrides: []\n"),
                (["--to", "2.0", "migrated.yaml"], "")],
    "new": [(["torch", "--name", "a", "--claim", "b", "--", "torchrun", "a.py"], ""), (["mpi", "--name", "A"], "")],
    "lsp": [([], SESSION)],
    "function": [([], LIST)],
    "runtimes": [([], ""), (["--show", "torch-distributed"], "")],
    "schema": [(["TrainJob"], "")],
    "completion": [(["bash"], "")],
    "version": [(["-o", "json"], "")],
    "policies": [(["test", "--help"], "")],
    "kustomize-config": [([], "")],
    "webhook": [(["--insecure", "--listen", "127.0.0.1:0", "--runtimes", "runtime.yaml", "--config", "broken.yaml"], "")],
}
OPTIONS = ["--quiet", "--leak-check=full", "--show-leak-kinds=definite,indirect,possible",
           "--errors-for-leak-kinds=definite,indirect,possible", "--num-callers=20", "--error-exitcode=99"]


def write_inputs(folder, trainjobc):
    def job(name, runtime="torch-distributed", nodes="2"):
        return JOB.replace("NAME", name).replace("RUNTIME", runtime).replace("NODES", nodes)

    (folder / "a.yaml").write_text(job("a"))
    (folder / "migrated.yaml").write_text(job("a"))
    (folder / "new.yaml").write_text(job("a", nodes="3"))
    (folder / "mpi.yaml").write_text(job("m", "deepspeed-distributed"))
    (folder / "bad.yaml").write_text(job("b").replace("numNodes", "nodes") + "    resourcesPerNode: {requests: {nvidia.com/gpu: 1}}\n")
    (folder / "fixed.yaml").write_text((folder / "bad.yaml").read_text())
    (folder / "broken.yaml").write_text("a: [\n---\n" + job("c"))
    (folder / "runtime.yaml").write_text(RUNTIME)
    (folder / "seed").write_text("any sixteen bytes")
    made = subprocess.run([trainjobc, "render", "--with-defaults", "-o", "json", "a.yaml"], cwd=folder, check=True,
                          capture_output=True)
    (folder / "live.json").write_bytes(made.stdout)
    kubectl = folder / "bin" / "kubectl"
    kubectl.parent.mkdir()
    kubectl.write_text(KUBECTL)
    kubectl.chmod(0o755)


def commands(trainjobc):
    text = subprocess.run([trainjobc, "--help"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^  ([a-z-]+) ", text.split("\nCommands:\n")[1].split("\n\n")[0], re.M)


def check(trainjobc, folder, number, command, arguments, text):
    """What is wrong, or ""."""
    log = folder / f"valgrind-{number}"
    env = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}"}
    done = subprocess.run(["valgrind", f"--log-file={log}", *OPTIONS, trainjobc, command, *arguments], input=text,
                          cwd=folder, env=env, capture_output=True, text=True, check=False)
    found = log.read_text()
    name = " ".join([command, *arguments])
    if done.returncode not in (0, 1, 2) or found:
        return f"{name} ends with {done.returncode}:\n{found}{done.stderr}"
    plain = subprocess.run([trainjobc, command, *arguments], input=text, cwd=folder, env=env, capture_output=True,
                           text=True, check=False)
    return "" if plain.returncode == done.returncode else f"{name} ends with {done.returncode}, alone with {plain.returncode}"


def main():
    if not shutil.which("valgrind"):
        print("valgrind is not installed")
        return 77
    trainjobc = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_inputs(folder, trainjobc)
        missing = set(commands(trainjobc)) ^ set(RUNS)
        problems = [f"valgrind_test.py: RUNS and the commands differ by {', '.join(sorted(missing))}"] if missing else []
        runs = [(command, *run) for command, runs in RUNS.items() for run in runs]
        found = [check(trainjobc, folder, number, *run) for number, run in enumerate(runs)]
        problems += filter(None, found)
    print("\n".join(problems))
    print(f"{len(runs)} runs, {len(problems)} with problems")
    return 1 if problems else 0


sys.exit(main())
