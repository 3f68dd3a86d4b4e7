#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every file names its licence, as `reuse lint` asks: source files in a header, the others in REUSE.toml.

Runs `reuse lint`, too, if it is installed. Without a git checkout: exit status 77.
usage: licence_test.py
"""
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LICENCE = "Apache-2.0"
# Of the text that the Apache Software Foundation publishes.
TEXT = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"
TAG = "SPDX-" + "License-Identifier"  # reuse would read the whole word as this file's
HEADER = re.compile(TAG + r": *([^\s*\"']+)")
SOURCES = {".cpp", ".h", ".go", ".py", ".sh", ".cmake", ".bash", ".fish", ".toml", ".yml"}
NAMES = {"CMakeLists.txt", "Makefile", "Containerfile", ".clang-format", ".clang-tidy"}
problems = []


def text_of(path):
    return path.read_bytes().decode(errors="replace")


def needs_header(path):
    return path.suffix in SOURCES or path.name in NAMES or text_of(path).startswith("#!")


def check_headers(paths):
    checked = 0
    for path in paths:
        name = path.relative_to(ROOT).as_posix()
        named = HEADER.findall("\n".join(text_of(path).splitlines()[:5]))
        # Expected output and recorded input are not sources, whatever they are called.
        if needs_header(path) and not name.startswith(("golden/", "tests/conformance/v")):
            checked += 1
            if not named and name != "REUSE.toml":
                problems.append(f"{name}: {TAG}: {LICENCE} is missing from the first lines")
        problems.extend(f"{name}: the licence is {one}, not {LICENCE}" for one in named if one != LICENCE)
    return checked


def check_texts():
    for name in ("LICENSE", f"LICENSES/{LICENCE}.txt"):
        path = ROOT / name
        if not path.exists() or hashlib.sha256(path.read_bytes()).hexdigest() != TEXT:
            problems.append(f"{name} is not the text of {LICENCE}")
    extra = [path.name for path in (ROOT / "LICENSES").iterdir() if path.name != f"{LICENCE}.txt"]
    if extra:
        problems.append(f"LICENSES contains {extra}, which no file names")
    notice = text_of(ROOT / "NOTICE")
    for source in ("https://github.com/kubeflow/trainer", "https://github.com/kubernetes-sigs/jobset"):
        if source not in notice:
            problems.append(f"NOTICE does not name {source}")


def check_rest():
    """The annotation of REUSE.toml covers every file, with its authors and the licence."""
    wanted = ['path = "**"', f'{TAG} = "{LICENCE}"', "SPDX-FileCopyrightText = "]
    settings = text_of(ROOT / "REUSE.toml")
    problems.extend(f"REUSE.toml lacks {one}" for one in wanted if one not in settings)


def main():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        print("skipped: not a git checkout")
        return 77
    names = [name for name in listed.stdout.split("\0") if name]
    paths = [ROOT / name for name in names if (ROOT / name).is_file() and not (ROOT / name).is_symlink()]
    checked = check_headers(paths)
    check_texts()
    check_rest()
    if shutil.which("reuse"):
        done = subprocess.run(["reuse", "--root", ROOT, "lint"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            problems.append(done.stdout + done.stderr)
    else:
        print("reuse is not installed: its own check was not run")
    print("\n".join(problems) or f"{checked} source files have a header, {len(paths) - checked} other files are in REUSE.toml")
    return 1 if problems else 0


sys.exit(main())
