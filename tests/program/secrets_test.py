#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No output but manifests shows a secret: one is put into each string of the fixtures in turn, and every command runs.

usage: secrets_test.py BINARY [--all]. Without --all a sample, the same each time.
"""
import pathlib
import random
import re
import subprocess
import sys
import tempfile

BINARY = pathlib.Path(sys.argv[1]).resolve()
SAMPLE = None if "--all" in sys.argv else 60
TESTS = pathlib.Path(__file__).resolve().parents[1]
TOKEN = "hf_aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1b"
PASSWORD = "pa55-of-the-registry"
VALUES = [TOKEN, f"--token={TOKEN}", f"user:{PASSWORD}@registry.example/a/b:1"]
FOLDERS = ["v1/jobs", "v1/training-operator", "conformance/v2.3", "kueue", "../examples"]
# A scalar on a line of its own: what is before it, and the scalar.
SCALAR = re.compile(r"^(\s*(?:- )*(?:[\w./-]+: +)?)([^\s#{\[|>&*!\-'\"][^#]*|\"[^\"]*\"|'[^']*')$")
STRUCTURE = re.compile(r"^\s*(?:- )?(?:apiVersion|kind|image|name|generateName|namespace): ")
# What each command prints besides manifests; of render, only what is on standard error.
COMMANDS = [["lint"], ["lint", "--format", "json"], ["lint", "--format", "sarif"], ["lint", "--format", "markdown"],
            ["explain"], ["plan", "--ranks"], ["plan", "-o", "json"], ["graph"], ["graph", "-o", "dot"], ["migrate"],
            ["runtimes"], ["runtimes", "--used-by"], ["render"]]


def fixtures():
    for folder in FOLDERS:
        for path in sorted((TESTS / folder).rglob("*.yaml")):
            if path.stat().st_size < 20000 and "expected" not in path.name:
                yield path


def places():
    for path in fixtures():
        lines = path.read_text().splitlines()
        for number, line in enumerate(lines):
            found = SCALAR.match(line)
            # Names are shown by design, and may not contain a secret: no valid name does.
            if found and found[1].strip(" -") and not STRUCTURE.match(line):
                yield path, lines, number, found[1]
            elif found and line.strip().lstrip("- ").startswith("image: "):
                yield path, lines, number, found[1]


def main():
    problems = []
    chosen = list(places())
    if SAMPLE and len(chosen) > SAMPLE:
        chosen = random.Random(1).sample(chosen, SAMPLE)
    for index, (path, lines, number, before) in enumerate(chosen):
        for value in VALUES:
            text = "\n".join([*lines[:number], f"{before}\"{value}\"", *lines[number + 1:], ""])
            with tempfile.TemporaryDirectory() as folder:
                pathlib.Path(folder, "in.yaml").write_text(text)
                for words in COMMANDS:
                    done = subprocess.run([BINARY, *words, "in.yaml"], cwd=folder, capture_output=True, timeout=60,
                                          stdin=subprocess.DEVNULL)
                    shown = done.stderr + (b"" if words == ["render"] else done.stdout)
                    if TOKEN.encode() in shown or PASSWORD.encode() in shown:
                        problems.append(f"{path.relative_to(TESTS.parent)}:{number + 1}: {' '.join(words)} shows {value}")
    print("\n".join(problems))
    print(f"{len(chosen)} places, {len(problems)} leaks")
    return 1 if problems or not chosen else 0


sys.exit(main())
