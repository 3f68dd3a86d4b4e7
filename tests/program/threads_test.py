#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""render, lint, explain and diff say the same with eight threads as with one, over the examples, the golden and the
recorded inputs, and many jobs of one runtime. A binary built with ThreadSanitizer (-DTRAINJOBC_TSAN=ON) finds data races, too.

usage: threads_test.py TRAINJOBC
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
RACE = 66
problems = []


class Program:
    def __init__(self, path):
        self.command = [os.path.abspath(path)]
        # ThreadSanitizer can't place its memory on every kernel that randomises addresses.
        if self.run("version").returncode != 0:
            self.command = ["setarch", os.uname().machine, "-R", *self.command]

    def run(self, *arguments):
        env = {**os.environ, "TSAN_OPTIONS": f"exitcode={RACE} halt_on_error=0"}
        return subprocess.run([*self.command, *map(str, arguments)], capture_output=True, text=True, check=False,
                              env=env)

    def both(self, *arguments):
        """The result with eight threads, which must be that with one."""
        name = " ".join(map(str, arguments[:4]))
        many = self.run(*arguments, "--threads", "8")
        one = self.run(*arguments, "--threads", "1")
        if "ThreadSanitizer" in many.stderr:
            problems.append(f"{name}: {many.stderr[:6000]}")
        elif (many.returncode, many.stdout, many.stderr) != (one.returncode, one.stdout, one.stderr):
            problems.append(f"{name} with 8 threads differs from what 1 thread prints")
        elif many.returncode > 2:
            problems.append(f"{name} ends with {many.returncode}: {many.stderr[:2000]}")
        return many


def apart(text, number):
    """The documents of a recorded input as JSON, in a namespace of their own and with cluster runtimes of their own."""
    documents = [document for document in yaml.safe_load_all(text) if isinstance(document, dict)]
    runtimes = {document["metadata"]["name"] for document in documents
                if document.get("kind") == "ClusterTrainingRuntime"}
    for document in documents:
        metadata = document["metadata"]
        if document.get("kind") == "ClusterTrainingRuntime":
            metadata["name"] = f"{metadata['name']}-{number}"
            continue
        metadata["namespace"] = f"case-{number}"
        reference = (document.get("spec") or {}).get("runtimeRef") or {}
        if reference.get("kind", "ClusterTrainingRuntime") == "ClusterTrainingRuntime" and reference.get("name") in runtimes:
            reference["name"] += f"-{number}"
    return "\n---\n".join(json.dumps(document, default=str) for document in documents) + "\n"


def write_recorded(folder, version):
    for number, path in enumerate(sorted((ROOT / "tests/conformance").glob(f"v{version}/*/*/input.yaml"))):
        try:
            (folder / f"{number:03}.yaml").write_text(apart(path.read_text(), number))
        except (yaml.YAMLError, AttributeError, KeyError, TypeError):
            continue  # not a manifest to other readers: those have tests of their own


def accepted(findings, folder):
    """The files without an error."""
    refused = {found["file"] for found in json.loads(findings)["diagnostics"] if found["severity"] == "error"}
    return [path for path in sorted(folder.iterdir()) if str(path) not in refused]


def check_recorded(program, folder, version):
    write_recorded(folder, version)
    options = ("--no-config", "--trainer-version", version)
    program.both("render", "--keep-going", "--ssh-key", "omit", *options, folder)
    findings = program.both("lint", "--format", "json", *options, folder).stdout
    good = accepted(findings, folder)
    live = folder / "live.json"
    live.write_text(program.both("render", "--with-defaults", "-o", "json", "--ssh-key", "omit", *options, *good).stdout
                    .replace('"parallelism": 1', '"parallelism": 3'))
    result = program.both("diff", *options, "--live", live, *good)
    if result.returncode != 1:
        problems.append(f"diff of what was recorded with {version} ends with {result.returncode}: {result.stderr[:2000]}")
    return len(good)


def check_many(program, folder):
    jobs = folder / "jobs.yaml"
    made = subprocess.run([sys.executable, ROOT / "bench/make_jobs.py", "100"], capture_output=True, text=True,
                          check=True)
    jobs.write_text(made.stdout)
    for command in (("render",), ("lint",), ("explain",), ("explain", "-o", "json"), ("diff", "--from", jobs),
                    ("diff", "--from-version", "2.1", "--to-version", "2.3")):
        program.both(*command, "--no-config", jobs)


def check_repository(program):
    for folder in ("examples", "golden"):
        program.both("lint", "--no-config", ROOT / folder)
    program.both("render", "--no-config", "--keep-going", "--ssh-key", "omit", ROOT / "golden")
    program.both("render", "--ssh-key", "omit", ROOT / "examples")
    program.both("explain", "--field", "image", ROOT / "examples")
    program.both("diff", "--from", ROOT / "examples", ROOT / "examples")


def main():
    program = Program(sys.argv[1])
    jobs = 0
    with tempfile.TemporaryDirectory() as folder:
        check_many(program, pathlib.Path(folder))
        for recorded in sorted((ROOT / "tests/conformance").glob("v*")):
            version = recorded.name[1:]
            path = pathlib.Path(folder, version)
            path.mkdir()
            jobs += check_recorded(program, path, version)
    check_repository(program)
    print("\n".join(problems))
    print(f"{jobs} recorded inputs compared with a cluster, {len(problems)} problems")
    return 1 if problems or jobs == 0 else 0


sys.exit(main())
