#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times trainjobc beside yaml-cpp's event parser, kustomize and kubeconform, interleaved in one run, and prints a
table of the times, and one of the goals with what was reached.

usage: bench.py TRAINJOBC PARSE_ONLY [--static PROGRAM] [--kustomize PROGRAM] [--kubeconform PROGRAM --schemas FOLDER]
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 15


PARSER = "yaml-cpp event parser alone, 1,000 jobs"
KUSTOMIZE = "kustomize build, 1,000 jobs"
KUBECONFORM = "kubeconform, 1,000 jobs"


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("trainjobc")
    parser.add_argument("parse_only")
    for name in ("static", "kustomize", "kubeconform", "schemas"):
        parser.add_argument(f"--{name}")
    return parser.parse_args()


def make_inputs(folder):
    paths = {}
    for count in (1, 1000):
        paths[count] = os.path.join(folder, str(count), "jobs.yaml")
        os.makedirs(os.path.dirname(paths[count]))
        with open(paths[count], "w") as file:
            make_jobs = pathlib.Path(__file__).parent / "make_jobs.py"
            subprocess.run([sys.executable, make_jobs, str(count)], stdout=file, check=True)
    pathlib.Path(folder, "1000", "kustomization.yaml").write_text("resources: [jobs.yaml]\n")
    return paths


def commands_of(programs, paths):
    trainjobc = programs.trainjobc
    commands = {
        "trainjobc version (start-up alone)": [trainjobc, "version"],
        "trainjobc render, 1 job": [trainjobc, "render", paths[1]],
        "trainjobc lint, 1 job": [trainjobc, "lint", paths[1]],
        PARSER: [programs.parse_only, paths[1000]],
        "trainjobc render, 1,000 jobs": [trainjobc, "render", paths[1000]],
        "trainjobc render --threads 1, 1,000 jobs": [trainjobc, "render", "--threads", "1", paths[1000]],
        "trainjobc lint, 1,000 jobs": [trainjobc, "lint", paths[1000]],
        "trainjobc explain, 1,000 jobs": [trainjobc, "explain", paths[1000]],
    }
    if programs.static:
        commands["static trainjobc render, 1 job"] = [programs.static, "render", paths[1]]
    if programs.kustomize:
        commands[KUSTOMIZE] = [programs.kustomize, "build", os.path.dirname(paths[1000])]
    if programs.kubeconform:
        schema = programs.schemas + "/{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json"
        commands[KUBECONFORM] = [programs.kubeconform, "-schema-location", schema, paths[1000]]
    return commands


def run(command):
    """Seconds and exit status. To start a program as subprocess does takes longer than one job takes to render."""
    with open(os.devnull, "wb") as nothing:
        begin = time.perf_counter()
        actions = [(os.POSIX_SPAWN_DUP2, nothing.fileno(), 1), (os.POSIX_SPAWN_DUP2, nothing.fileno(), 2)]
        pid = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
        _, status = os.waitpid(pid, 0)
        return time.perf_counter() - begin, os.waitstatus_to_exitcode(status)


def measure(commands):
    times = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            seconds, status = run(command)
            times[name].append(seconds)
            if status != 0:
                sys.exit(f"{' '.join(command)} ended with {status}")
    return times


def ratios(times):
    """Each a goal, its bound, and what was reached: medians of each round's ratio."""
    def ratio(one, other):
        return statistics.median(a / b for a, b in zip(times[one], times[other]))

    rows = [("render, in times of yaml-cpp's parser", "at most 0.6", ratio("trainjobc render, 1,000 jobs", PARSER)),
            ("explain, in times of render", "at most 2", ratio("trainjobc explain, 1,000 jobs", "trainjobc render, 1,000 jobs"))]
    if KUSTOMIZE in times:
        rows.append(("kustomize build, in times of render", "at least 25", ratio(KUSTOMIZE, "trainjobc render, 1,000 jobs")))
    if KUBECONFORM in times:
        rows.append(("kubeconform, in times of lint", "at least 2.5", ratio(KUBECONFORM, "trainjobc lint, 1,000 jobs")))
    return rows


def main():
    programs = parse_arguments()
    with tempfile.TemporaryDirectory() as folder:
        paths = make_inputs(folder)
        times = measure(commands_of(programs, paths))
        parser = statistics.median(times[PARSER])
        print(f"{os.path.getsize(paths[1000]) / 1e6:.2f} MB for 1,000 jobs; median of {ROUNDS} interleaved rounds\n")
    print("| command | median | best | in parser times |")
    print("|---|---:|---:|---:|")
    for name, values in times.items():
        median = statistics.median(values)
        print(f"| {name} | {median * 1000:.1f} ms | {min(values) * 1000:.1f} ms | {median / parser:.2f} |")
    print("\n| goal | | reached |")
    print("|---|---|---:|")
    for name, bound, value in ratios(times):
        print(f"| {name} | {bound} | {value:.2f} |")
    if programs.static:
        one = statistics.median(times["static trainjobc render, 1 job"]) * 1000
        print(f"| one job cold, static binary | at most 3 ms | {one:.1f} ms |")


main()
