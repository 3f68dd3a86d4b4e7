#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints how many lines below src/ the inputs that fuzzing kept reach: each target alone, all together, each folder.

usage: coverage.py PROGRAMS INPUTS VERSION

PROGRAMS holds the targets as built with TRAINJOBC_COVERAGE by clang VERSION; INPUTS is the folder that run.py wrote to.
"""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = sys.argv[3]
TARGETS = ["read", "roundtrip", "merge", "config", "compile", "diff", "lsp", "rewrite"]


def profile(name, programs, inputs):
    """Runs the target once on each of its inputs."""
    raw = programs / f"{name}.profraw"
    files = [file for kind in ("corpus", "seeds") for file in sorted((inputs / kind / name).glob("*"))]
    if not files:
        sys.exit(f"{inputs} has no inputs of {name}; run make fuzz first")
    subprocess.run([programs / f"{name}_fuzz", "-rss_limit_mb=0", *files], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, env={**os.environ, "LLVM_PROFILE_FILE": str(raw)})
    return raw


def merged(raws, path):
    subprocess.run([f"llvm-profdata-{VERSION}", "merge", "-sparse", "-o", path, *raws], check=True)
    return path


def lines(data, binaries):
    """By file below src/: its lines with code, and those that were reached."""
    objects = [word for binary in binaries[1:] for word in ("-object", binary)]
    command = [f"llvm-cov-{VERSION}", "export", "-summary-only", f"-instr-profile={data}", binaries[0], *objects]
    report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    files = {}
    for file in report["data"][0]["files"]:
        path = os.path.relpath(file["filename"], ROOT)
        if path.startswith("src/"):
            files[path] = (file["summary"]["lines"]["count"], file["summary"]["lines"]["covered"])
    return files


def row(name, files):
    count, covered = (sum(numbers) for numbers in zip(*files.values(), strict=True))
    print(f"| {name} | {covered:,} | {count:,} | {100 * covered / count:.0f} % |", flush=True)


def main():
    programs, inputs = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    raws = []
    print("| target | lines reached | lines linked | |\n|---|---:|---:|---:|")
    for name in TARGETS:
        raws.append(profile(name, programs, inputs))
        row(f"`{name}`", lines(merged([raws[-1]], programs / f"{name}.profdata"), [programs / f"{name}_fuzz"]))
    everything = lines(merged(raws, programs / "all.profdata"), [programs / f"{name}_fuzz" for name in TARGETS])
    row("all", everything)
    print("\n| folder | lines reached | lines linked | |\n|---|---:|---:|---:|")
    for folder in sorted({path.split("/")[1] for path in everything}):
        row(f"`src/{folder}`", {path: numbers for path, numbers in everything.items() if path.split("/")[1] == folder})


main()
