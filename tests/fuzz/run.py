#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs libFuzzer targets, one after the other or several at a time, and prints what each of them did.

usage: run.py FOLDER SECONDS [--jobs N] [--corpus FOLDER] [--runs N] [TARGET...]

FOLDER holds the binaries; what they found interesting stays in FOLDER/corpus, or in the other one. An input that fails
is written to FOLDER/failures, and the status is 1. With 0 seconds, a target runs what is in the corpus, once.
"""
import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MANIFESTS = ["examples", "golden", "templates/v2.3"]
# By target: the length of an input, the words that it is made of, and where the first ones come from.
TARGETS = {
    "events": (192, ["yaml.dict", "manifests.dict"], MANIFESTS),
    "read": (256, ["yaml.dict"], ["examples"]),
    "roundtrip": (256, ["yaml.dict"], ["examples"]),
    "merge": (512, ["yaml.dict", "manifests.dict"], ["tests/fuzz/seeds/merge"]),
    "config": (512, ["yaml.dict", "manifests.dict"], ["tests/fuzz/seeds/config", "golden/lint-suppress-config"]),
    "compile": (4096, ["yaml.dict", "manifests.dict"], MANIFESTS),
    "diff": (4096, ["yaml.dict", "manifests.dict"], ["tests/fuzz/seeds/diff", "examples", "golden"]),
    "quota": (2048, ["yaml.dict", "manifests.dict", "kueue.dict"], ["tests/fuzz/seeds/quota"]),
    "graph": (4096, ["yaml.dict", "manifests.dict"], ["tests/fuzz/seeds/graph", "examples", "templates/v2.3"]),
    "settings": (1024, ["yaml.dict", "manifests.dict"], ["tests/fuzz/seeds/settings", "tests/fuzz/seeds/config", "golden/lint-suppress-config"]),
    "webhook": (4096, ["webhook.dict", "manifests.dict"], ["tests/fuzz/seeds/webhook"]),
    "lsp": (1024, ["yaml.dict", "manifests.dict"], ["tests/fuzz/seeds/lsp"]),
    "rewrite": (2048, ["yaml.dict", "manifests.dict"], MANIFESTS),
}
# Of the sanitizers: freed memory is kept for a while; the default, 256 MB, is slow. Run an input that fails by itself
# for the stacks of its allocations.
ASAN_OPTIONS = "quarantine_size_mb=16:malloc_context_size=2:detect_stack_use_after_return=0"


def copy_seeds(folder, longest, sources):
    """Copies the manifests and their documents that are not too long. Names are those of libFuzzer: by content."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in (file for source in sources for file in (ROOT / source).rglob("*")):
        if path.suffix not in (".yaml", ".yml", ".json"):
            continue
        text = path.read_bytes()
        for part in {text, *text.split(b"\n---\n")}:
            if len(part) <= longest:
                (folder / hashlib.sha1(part).hexdigest()).write_bytes(part)


def write_dictionary(path, names):
    path.write_text("".join((HERE / name).read_text() for name in names))


def run(name, folder, seconds, corpora, runs):
    longest, dictionaries, sources = TARGETS[name]
    corpus = corpora / name
    failures = folder / "failures"
    failures.mkdir(exist_ok=True)
    seeds = folder / "seeds" / name
    copy_seeds(seeds, longest, sources)
    corpus.mkdir(parents=True, exist_ok=True)
    words = folder / f"{name}.dict"
    write_dictionary(words, dictionaries)
    command = [folder / f"{name}_fuzz", f"-max_total_time={seconds}", f"-runs={runs if seconds else 0}", f"-max_len={longest}", f"-dict={words}", "-timeout=20",
               "-rss_limit_mb=3000", "-print_final_stats=1", "-entropic=0", f"-artifact_prefix={failures}/{name}-", corpus, seeds]
    options = ":".join(filter(None, [ASAN_OPTIONS, os.environ.get("ASAN_OPTIONS")]))
    done = subprocess.run([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          env={**os.environ, "ASAN_OPTIONS": options})
    log = done.stderr.decode(errors="replace")
    (folder / f"{name}.log").write_text(log)
    return name, done.returncode, log


def row(name, log):
    def last(pattern):
        found = re.findall(pattern, log, re.M)
        return int(found[-1]) if found else 0

    # A run that fails has no final figures.
    executions = last(r"stat::number_of_executed_units: (\d+)") or last(r"^#(\d+)")
    speed = last(r"stat::average_exec_per_sec: +(\d+)")
    edges = last(r"cov: (\d+)")
    inputs = last(r"corp: (\d+)")
    return f"{name:10} {executions:>11,} executions {speed:>7,}/s {edges:>7,} edges {inputs:>6,} inputs"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("seconds", type=int)
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--corpus", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=-1, help="end after so many executions, if that is earlier")
    arguments = parser.parse_intermixed_args()
    folder = arguments.folder.resolve()
    corpora = arguments.corpus.resolve() if arguments.corpus else folder / "corpus"
    unknown = set(arguments.targets) - set(TARGETS)
    if unknown:
        parser.error(f"there is no target {', '.join(sorted(unknown))}; there are {', '.join(TARGETS)}")
    failed = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        runs = [pool.submit(run, name, folder, arguments.seconds, corpora, arguments.runs) for name in arguments.targets or TARGETS]
        for finished in concurrent.futures.as_completed(runs):
            name, status, log = finished.result()
            print(row(name, log), flush=True)
            if status != 0:
                failed.append(name)
                print("\n".join(log.splitlines()[-60:]), file=sys.stderr)
    if failed:
        print(f"failed: {', '.join(sorted(failed))}; the inputs are in {folder / 'failures'}", file=sys.stderr)
    return 1 if failed else 0


sys.exit(main())
