#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compose reads in what `compose` prints the values of the pods: none is filled in from the shell, and no
volume is a path of the machine. compose-go, the library of docker compose, does the reading.

usage: compose_read_test.py TRAINJOBC. Skipped (77) without Go and its module proxy."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHELL = "of-the-shell"
TEXT = "a${LEAK}b$LEAK$$c"
problems = []

# Each text of the pod refers to a variable that the shell has. Names that have one letter, or a folder without
# a slash, could be read as something else.
RUNTIME = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: rt, labels: {trainer.kubeflow.org/framework: torch}}
spec:
  mlPolicy: {numNodes: 1, torch: {}}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            template:
              spec:
                volumes:
                - {name: d, persistentVolumeClaim: {claimName: d}}
                - {name: e, emptyDir: {}}
                - {name: f, configMap: {name: files}}
                - {name: g, nfs: {server: s, path: /p}}
                hostAliases: [{ip: 10.0.0.1, hostnames: [h]}]
                containers:
                - name: node
                  image: r.example.com/t:1
                  workingDir: 'TEXT'
                  securityContext: {capabilities: {add: ['TEXT'], drop: ['TEXT']}}
                  volumeMounts:
                  - {name: d, mountPath: /data}
                  - {name: d, mountPath: part, subPath: 'TEXT'}
                  - {name: e, mountPath: /e}
                  - {name: f, mountPath: '/TEXT'}
                  - {name: g, mountPath: /g}
                  env: [{name: A, value: 'TEXT'}]
                - name: side
                  image: r.example.com/t:1
                  volumeMounts: [{name: e, mountPath: /e}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: files, namespace: a}
data: {key: 'TEXT'}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: j, namespace: a}
spec:
  runtimeRef: {name: rt}
  trainer: {command: [torchrun, 'TEXT'], args: ['TEXT']}
""".replace("TEXT", TEXT)


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def build(folder):
    if not shutil.which("go"):
        skip("needs go")
    program = folder / "read"
    done = subprocess.run(["go", "build", "-o", program, "."], cwd=ROOT / "tests" / "compose" / "compose-go",
                          capture_output=True, text=True)
    if done.returncode != 0:
        skip(f"needs compose-go: {done.stderr.strip()}")
    return program


def check(what, actual, expected):
    if actual != expected:
        problems.append(f"{what} is {actual!r}, not {expected!r}")


def strings(value):
    if isinstance(value, str):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from strings(part)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    reader = build(folder)
    (folder / "job.yaml").write_text(RUNTIME)
    done = subprocess.run([sys.argv[1], "compose", "--no-config", "job.yaml"], cwd=folder, capture_output=True,
                          text=True)
    (folder / "compose.yaml").write_text(done.stdout)
    read = subprocess.run([reader, "compose.yaml"], cwd=folder, capture_output=True, text=True,
                          env={**os.environ, "LEAK": SHELL})
    if done.returncode != 0 or read.returncode != 0:
        sys.exit(f"{done.stderr}{read.stderr}{done.stdout}")
    project = json.loads(read.stdout)
    node = project["services"]["node-0-0"]
    # Kubernetes reads $$ in commands and values of variables as $.
    expanded = TEXT.replace("$$", "$")
    check("command", node["command"], [expanded])
    check("entrypoint", node["entrypoint"], ["torchrun", expanded])
    check("environment", node["environment"]["A"], expanded)
    check("working_dir", node["working_dir"], TEXT)
    check("cap_add", node["cap_add"], [TEXT])
    check("cap_drop", node["cap_drop"], [TEXT])
    check("config", [one["content"] for one in project["configs"].values()], [TEXT])
    check("config's target", [one["target"] for one in node["configs"]], [f"/{TEXT}/key"])
    volumes = {one["target"]: (one["type"], one.get("source", "")) for one in node["volumes"]}
    check("volumes", volumes, {"/data": ("volume", "d"), "/part": ("volume", "d_a__LEAK_b_LEAK__c"),
                               "/e": ("volume", "node-0-0.e"), "/g": ("volume", "g")})
    leaks = [text for text in strings({key: project[key] for key in ("services", "configs", "volumes")}) if SHELL in text]
    check("what comes from the shell", leaks, [])
print("\n".join(problems))
sys.exit(bool(problems))
