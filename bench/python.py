#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times the Python module: its import, one job from dicts, and what renders leave in memory. Fails if a goal is missed.

usage: PYTHONPATH=build/python build/python-venv/bin/python bench/python.py [--renders 100000]
"""
import argparse
import gc
import os
import statistics
import subprocess
import sys
import time

GOALS = {"import": 30.0, "render": 1.0}  # ms
BLOCKS, GROWTH = 50, 1.0  # of Python, and MiB: what calls may leave
JOB = {
    "apiVersion": "trainer.kubeflow.org/v1alpha1",
    "kind": "TrainJob",
    "metadata": {"name": "llama", "namespace": "team-a"},
    "spec": {
        "runtimeRef": {"name": "torch-distributed"},
        "trainer": {
            "numNodes": 4,
            "image": "registry.example.com/team/train:1.4",
            "command": ["torchrun", "train.py"],
            "env": [{"name": f"OPTION_{number}", "value": str(number)} for number in range(10)],
            "resourcesPerNode": {"limits": {"cpu": "16", "memory": "64Gi", "nvidia.com/gpu": 8}},
        },
    },
}
IMPORT = """
import time
start = time.perf_counter(), time.process_time()
import trainjobc
print((time.perf_counter() - start[0]) * 1000, (time.process_time() - start[1]) * 1000)
"""


def milliseconds(function):
    """By the clock, and of the processor."""
    start = time.perf_counter(), time.process_time()
    function()
    return (time.perf_counter() - start[0]) * 1000, (time.process_time() - start[1]) * 1000


def import_time():
    said = subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True).stdout
    return tuple(map(float, said.split()))


def row(what, times):
    by_clock, of_processor = zip(*times)
    median = statistics.median(by_clock)
    print(f"| {what} | {median:.2f} ms | {min(by_clock):.2f} ms | {statistics.median(of_processor):.2f} ms |")
    return median


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--renders", type=int, default=100_000)
    renders = options.parse_args().renders
    print("| | median | best | median of the processor |\n|---|---:|---:|---:|")
    reached = {"import": row("import trainjobc", [import_time() for _ in range(40)])}

    import trainjobc

    calls = {
        "render": lambda: trainjobc.render(JOB),
        "lint": lambda: trainjobc.lint(JOB),
        "explain": lambda: trainjobc.explain(JOB),
        "plan": lambda: trainjobc.plan(JOB),
    }
    for name, call in calls.items():
        call()
        reached[name] = row(f"{name} of a dict", [milliseconds(call) for _ in range(2000)])
    missed = [f"{name}: {reached[name]:.2f} ms, not {goal}" for name, goal in GOALS.items() if reached[name] > goal]

    resident()  # the first time, Python imports the file's encoding
    wrong = {**JOB, "metadata": {"name": "Llama"}}
    for what, call in (("render", calls["render"]), ("lint of a job that is refused", lambda: trainjobc.lint(wrong))):
        memory = []
        for number in range(renders + renders // 10):
            call()
            if number + 1 in (renders // 10, renders + renders // 10):
                gc.collect()
                memory.append((sys.getallocatedblocks(), resident()))
        blocks, growth = memory[1][0] - memory[0][0], memory[1][1] - memory[0][1]
        print(f"\n{renders} times {what}: {blocks} blocks of Python and {growth:.2f} MiB more, {memory[1][1]:.0f} MiB resident")
        if blocks > BLOCKS or growth > GROWTH:
            missed.append(f"{what} leaks")
    sys.exit("\n".join(missed))


if __name__ == "__main__":
    main()
