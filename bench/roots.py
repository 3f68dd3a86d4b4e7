#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times lint and plan on a repository of many overlays beside kustomize, or kubectl, building the same ones as many at a time,
interleaved in one run: when nothing was built before, when everything was, and when one overlay has changed since.

usage: roots.py TRAINJOBC [OVERLAYS [JOBS]]     (200 10)
"""
import concurrent.futures
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
ROUNDS = 5
PATCH = "{{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, metadata: {{{id}}}, spec: {{trainer: {{numNodes: {nodes}}}}}}}\n"


def make_repository(folder, overlays, jobs):
    """A base of jobs and their runtime, and overlays that patch one job and set a namespace."""
    made = subprocess.run([sys.executable, HERE / "make_jobs.py", str(jobs)], capture_output=True, text=True, check=True)
    runtime, *documents = made.stdout.split("---\n")
    base = pathlib.Path(folder, "base")
    base.mkdir()
    (base / "runtime.yaml").write_text(runtime)
    (base / "jobs.yaml").write_text("---\n".join(documents))
    (base / "kustomization.yaml").write_text("resources: [runtime.yaml, jobs.yaml]\n")
    first = ", ".join(line.strip() for line in documents[0].splitlines() if line.startswith(("  name: ", "  namespace: ")))
    for i in range(overlays):
        overlay = pathlib.Path(folder, "overlays", f"{i:03d}")
        overlay.mkdir(parents=True)
        (overlay / "kustomization.yaml").write_text(
            f"resources: [../../base]\nnamespace: team-{i:03d}\npatches: [{{path: nodes.yaml}}]\n")
        (overlay / "nodes.yaml").write_text(PATCH.format(id=first, nodes=1 + i % 8))


def run(words, folder):
    subprocess.run(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


def build_all(builder, folder):
    roots = sorted(path.name for path in pathlib.Path(folder, "overlays").iterdir())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda root: run([*builder, f"overlays/{root}"], folder), roots))


def measure(act):
    begin = time.perf_counter()
    act()
    return time.perf_counter() - begin


def change_one(folder, turn):
    """Makes an overlay another one than in any turn before."""
    path = pathlib.Path(folder, "overlays", "000", "kustomization.yaml")
    text = path.read_text().split("commonAnnotations")[0]
    path.write_text(f"{text}commonAnnotations: {{turn: turn-{turn}}}\n")


def main():
    trainjobc = os.path.abspath(sys.argv[1])
    overlays, jobs = ([int(word) for word in sys.argv[2:]] + [200, 10][len(sys.argv) - 2:])[:2]
    builder = ["kustomize", "build"] if shutil.which("kustomize") else ["kubectl", "kustomize"]
    if not shutil.which(builder[0]):
        print("there is neither kustomize nor kubectl: overlays were not timed")
        return
    with tempfile.TemporaryDirectory() as folder:
        make_repository(folder, overlays, jobs)
        os.environ["XDG_CACHE_HOME"] = os.path.join(folder, ".cache")
        acts = {" ".join(builder): lambda: build_all(builder, folder),
                "trainjobc lint --no-cache": lambda: run([trainjobc, "lint", "--no-cache", "."], folder),
                "trainjobc plan --no-cache": lambda: run([trainjobc, "plan", "--no-cache", "."], folder),
                "trainjobc lint, all built before": lambda: run([trainjobc, "lint", "."], folder),
                "trainjobc lint, one overlay has changed": lambda: run([trainjobc, "lint", "."], folder)}
        times = {name: [] for name in acts}
        run([trainjobc, "lint", "."], folder)
        for turn in range(ROUNDS):
            for name, act in acts.items():
                if "changed" in name:
                    change_one(folder, turn)
                times[name].append(measure(act))
    print(f"{overlays} overlays of {jobs} jobs; median of {ROUNDS} interleaved rounds\n")
    print(f"| command | median | best | in times of {' '.join(builder)} |\n|---|---:|---:|---:|")
    first = next(iter(times.values()))
    for name, values in times.items():
        ratio = statistics.median(a / b for a, b in zip(values, first))
        print(f"| {name} | {statistics.median(values):.2f} s | {min(values):.2f} s | {ratio:.3f} |")


main()
