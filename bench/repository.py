#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lints a repository that is far larger than most: so many files with so many jobs each, in shards, as CI would do.

usage: repository.py TRAINJOBC [FILES [JOBS [SHARDS]]]     (10000 100 10)

Prints what each shard took.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent


def make_repository(folder, files, jobs):
    """Files of jobs of one name each, and beside them their runtime."""
    made = subprocess.run([sys.executable, HERE / "make_jobs.py", str(jobs)], capture_output=True, text=True, check=True)
    runtime, *documents = made.stdout.split("---\n")
    pathlib.Path(folder, "runtimes").mkdir()
    pathlib.Path(folder, "runtimes", "torch-a100.yaml").write_text(runtime)
    for i in range(files):
        path = pathlib.Path(folder, "jobs", f"{i // 100:03d}", f"{i:05d}.yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("---\n".join(text.replace("sweep-", f"sweep-{i:05d}-") for text in documents))


def lint(trainjobc, folder, paths):
    """Seconds, MB and exit status."""
    command = [trainjobc, "lint", "--runtimes", "runtimes", "--format", "json", *paths]
    begin = time.perf_counter()
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return time.perf_counter() - begin, usage.ru_maxrss / 1024, process.returncode


def main():
    trainjobc = os.path.abspath(sys.argv[1])
    files, jobs, shards = ([int(word) for word in sys.argv[2:]] + [10000, 100, 10][len(sys.argv) - 2:])[:3]
    with tempfile.TemporaryDirectory() as folder:
        make_repository(folder, files, jobs)
        paths = sorted(str(path.relative_to(folder)) for path in pathlib.Path(folder, "jobs").rglob("*.yaml"))
        print(f"{files * jobs:,} jobs in {files:,} files, {shards} shards\n")
        print("| shard | files | seconds | memory |\n|---:|---:|---:|---:|")
        total = 0
        for shard in range(shards):
            own = paths[shard::shards]
            seconds, memory, status = lint(trainjobc, folder, own)
            if status != 0:
                sys.exit(f"lint ended with {status}")
            total += seconds
            print(f"| {shard + 1} | {len(own):,} | {seconds:.1f} | {memory:.0f} MB |", flush=True)
        print(f"\n{total:.0f} s in all")


main()
