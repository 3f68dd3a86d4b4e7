#!/usr/bin/env python3
"""Runs every `$ trainjobc …` of a README's ```console blocks and compares what it prints.

A line `…` stands for any lines. usage: readme_test.py BINARY [FILE…]
"""
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def matches(want, got):
    if not want:
        return not got
    if want[0].strip() == "…":
        return any(matches(want[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and want[0] == got[0] and matches(want[1:], got[1:])


def main():
    binary, files = sys.argv[1], sys.argv[2:] or [str(ROOT / "README.md")]
    passed = failed = 0
    for name in files:
        for block in re.findall(r"^```console\n(.*?)^```", pathlib.Path(name).read_text(), re.M | re.S):
            for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
                command, *want = part.rstrip("\n").split("\n")
                words = shlex.split(command)
                if words[0] != "trainjobc":
                    continue
                run = subprocess.run([binary, *words[1:]], cwd=ROOT, capture_output=True, text=True)
                got = (run.stdout + run.stderr).rstrip("\n").split("\n")
                if matches(want, got):
                    passed += 1
                else:
                    failed += 1
                    print(f"{name}: $ {command}\nprints now:\n" + "\n".join(got))
    if passed + failed == 0:
        print("no example found")
        failed = 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
