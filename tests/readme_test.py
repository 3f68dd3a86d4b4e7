#!/usr/bin/env python3
"""What the README shows is what the binary does.

Every `$ trainjobc …` of a ```console block prints what stands below it (a line `…` stands for any lines). Every
trainjobc command of ```sh and ```yaml blocks runs in a copy of examples/, and does not end in a usage error; YAML parses.
usage: readme_test.py BINARY [FILE…]
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
BINARY = pathlib.Path(sys.argv[1]).resolve()


def matches(want, got):
    if not want:
        return not got
    if want[0].strip() == "…":
        return any(matches(want[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and want[0] == got[0] and matches(want[1:], got[1:])


def try_console(block):
    """A problem for each command that prints something else, None for one that is right."""
    folder = ROOT
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command, *want = part.rstrip("\n").split("\n")
        words = shlex.split(command)
        if words[0] == "cd":
            folder = folder / words[1]
            continue
        run = subprocess.run([BINARY, *words[1:]], cwd=folder, capture_output=True, text=True)
        got = (run.stdout + run.stderr).rstrip("\n").split("\n")
        right = words[0] == "trainjobc" and matches(want, got)
        yield None if right else f"$ {command}\nprints now:\n" + "\n".join(got)


def commands_of(text):
    """The trainjobc commands of a recipe: of a pipeline, the part that is trainjobc's."""
    for line in text.splitlines():
        found = re.search(r"(?:^|[-|] |entry: )(trainjobc [a-z]+ [^|]*)", line)
        if found:
            yield found.group(1).strip()


def try_recipe(text):
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name, "work")
        shutil.copytree(ROOT / "examples", work)
        for command in commands_of(text):
            words = shlex.split(command, comments=True)
            if words[1] == "submit":
                continue
            run = subprocess.run([BINARY, *words[1:]], cwd=work, input="", capture_output=True, text=True,
                                 env={**os.environ, "TRAINJOBC_RUNTIMES": "runtimes"})
            yield None if run.returncode == 0 else f"{command} ends with {run.returncode}:\n{run.stderr}"


def parses(text):
    try:
        list(yaml.safe_load_all(text))
    except yaml.YAMLError as error:
        return f"YAML that does not parse: {error}"
    return None


def main():
    results = []
    for name in sys.argv[2:] or [ROOT / "README.md", ROOT / "examples/README.md"]:
        text = pathlib.Path(name).read_text()
        for language, block in re.findall(r"^```(\w+)\n(.*?)^```", text, re.M | re.S):
            found = []
            if language == "console":
                found = list(try_console(block))
            elif language in ("sh", "yaml"):
                found = list(try_recipe(block)) + ([parses(block)] if language == "yaml" else [])
            results += [problem and f"{name}: {problem}" for problem in found]
    problems = [problem for problem in results if problem]
    print("\n".join(problems))
    print(f"{len(results) - len(problems)} passed, {len(problems)} failed" if results else "no example found")
    return 1 if problems or not results else 0


sys.exit(main())
