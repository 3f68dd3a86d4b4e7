#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""man/ holds a page for each command that `trainjobc --help` lists, as the binary writes it, and it renders clean.

usage: man_test.py BINARY. TRAINJOBC_UPDATE_GOLDEN=1 rewrites man/.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAN = ROOT / "man"


def rendered_badly(page):
    """What mandoc or groff say of a page."""
    said = ""
    if shutil.which("mandoc"):
        said += subprocess.run(["mandoc", "-Tlint", "-Wwarning", page], capture_output=True, text=True).stdout
    if shutil.which("man"):
        run = subprocess.run(["man", "--warnings", "-l", page], capture_output=True, text=True,
                             env={**os.environ, "MANWIDTH": "80", "MANPAGER": "cat", "LC_ALL": "C.UTF-8"})
        said += run.stderr
        if not re.search(r"^NAME\n +trainjobc", run.stdout, re.M):
            said += f"{page.name}: man prints no NAME"
    return said


def keys_of(schema, prefix=""):
    for name, one in schema["properties"].items():
        yield prefix + name
        items = one.get("items", {})
        for form in (items, *items.get("anyOf", [])):
            if "properties" in form:
                yield from keys_of(form, f"{prefix}{name}[].")
        for form in one.get("anyOf", []):
            if "properties" in form:
                yield from keys_of(form, f"{prefix}{name}.")


def problems_of_settings():
    """trainjobc.yaml(5) lists the keys that the JSON Schema of the settings has, and its examples are settings."""
    page = (MAN / "trainjobc.yaml.5").read_text()
    schema = json.loads((ROOT / "schema/trainjobc-config.json").read_text())
    listed = re.findall(r"^\.TP\n\.B (\S+)$", page.split(".SH KEYS")[1].split(".SH SUPPRESSION")[0], re.M)
    if sorted(listed) != sorted(keys_of(schema)):
        yield f"man/trainjobc.yaml.5 lists {sorted(listed)}, the schema {sorted(keys_of(schema))}"
    examples = re.search(r"^\.SH EXAMPLES\n\.nf\n(.*?)^\.fi", page, re.M | re.S)[1].replace("\\-", "-")
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / ".trainjobc.yaml").write_text(examples)
        (pathlib.Path(folder) / "runtimes").mkdir()
        run = subprocess.run([pathlib.Path(sys.argv[1]).resolve(), "lint", "--allow-empty", "."], cwd=folder, capture_output=True, text=True)
        if run.returncode:
            yield f"the example of man/trainjobc.yaml.5 ends lint with {run.returncode}: {run.stderr}"


def main():
    binary = sys.argv[1]
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([binary, "__man", folder], check=True)
        made = {path.name: path.read_text() for path in pathlib.Path(folder).iterdir()}
    if os.environ.get("TRAINJOBC_UPDATE_GOLDEN"):
        for old in MAN.glob("*.1"):
            old.unlink()
        for name, text in made.items():
            (MAN / name).write_text(text)
    there = {path.name: path.read_text() for path in MAN.glob("*.1")}
    for name in sorted(made.keys() | there.keys()):
        if made.get(name) != there.get(name):
            problems.append(f"man/{name} is not what --help says now; make golden updates it")
    text = subprocess.run([binary, "--help"], capture_output=True, text=True, check=True).stdout
    commands = re.findall(r"^  ([a-z]+) ", text.split("\nCommands:\n")[1].split("\n\n")[0], re.M)
    for command in commands:
        page = made.get(f"trainjobc-{command}.1")
        if page is None:
            problems.append(f"{command} has no page")
            continue
        plain = page.replace("\\-", "-")
        help_text = subprocess.run([binary, command, "--help"], capture_output=True, text=True, check=True).stdout
        problems += [f"man/trainjobc-{command}.1 lacks {flag}" for flag in re.findall(r"--[a-z-]+", help_text.split("Examples:")[0])
                     if flag not in plain]
    if not (shutil.which("mandoc") or shutil.which("man")):
        print("neither mandoc nor man is installed: the pages were not rendered")
    problems += problems_of_settings()
    for path in sorted([*MAN.glob("*.1"), *MAN.glob("*.5")]):
        problems += [said] if (said := rendered_badly(path)) else []
    print("\n".join(problems))
    print(f"{len(made)} passed, {len(problems)} failed" if made else "no page was made")
    return 1 if problems or len(commands) < 4 else 0


sys.exit(main())
