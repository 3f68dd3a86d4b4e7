#!/usr/bin/env python3
"""Times trainjobc beside yaml-cpp's event parser and kustomize, interleaved in one run, and prints a table.

usage: bench.py TRAINJOBC PARSE_ONLY [KUSTOMIZE]
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 15


def main():
    trainjobc, parse_only = sys.argv[1:3]
    kustomize = sys.argv[3] if len(sys.argv) > 3 else None
    here = pathlib.Path(__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for count in (1, 1000):
            paths[count] = os.path.join(folder, str(count), "jobs.yaml")
            os.makedirs(os.path.dirname(paths[count]))
            with open(paths[count], "w") as file:
                subprocess.run([sys.executable, here / "make_jobs.py", str(count)], stdout=file, check=True)
        pathlib.Path(folder, "1000", "kustomization.yaml").write_text("resources: [jobs.yaml]\n")
        commands = {
            "trainjobc version (start-up alone)": [trainjobc, "version"],
            "trainjobc render, 1 job": [trainjobc, "render", paths[1]],
            "trainjobc lint, 1 job": [trainjobc, "lint", paths[1]],
            "yaml-cpp event parser alone, 1,000 jobs": [parse_only, paths[1000]],
            "trainjobc render, 1,000 jobs": [trainjobc, "render", paths[1000]],
            "trainjobc render --threads 1, 1,000 jobs": [trainjobc, "render", "--threads", "1", paths[1000]],
            "trainjobc lint, 1,000 jobs": [trainjobc, "lint", paths[1000]],
        }
        if kustomize:
            commands["kustomize build, 1,000 jobs"] = [kustomize, "build", os.path.dirname(paths[1000])]
        times = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for name, command in commands.items():
                begin = time.perf_counter()
                subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
                times[name].append(time.perf_counter() - begin)
        parser = statistics.median(times["yaml-cpp event parser alone, 1,000 jobs"])
        print(f"{os.path.getsize(paths[1000]) / 1e6:.2f} MB for 1,000 jobs; median of {ROUNDS} interleaved rounds\n")
        print("| command | median | best | in parser times |")
        print("|---|---:|---:|---:|")
        for name, values in times.items():
            median = statistics.median(values)
            print(f"| {name} | {median * 1000:.1f} ms | {min(values) * 1000:.1f} ms | {median / parser:.2f} |")


main()
