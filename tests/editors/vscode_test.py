#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The VS Code extension: its versions are the binary's, its types and unit tests pass (editors/vscode/check.sh), and
VS Code's own engine expands the snippets of the binary (editors/vscode/test/snippets.test.ts).

usage: vscode_test.py BINARY; build/vscode keeps npm's packages. Ends with 77 if npm can't get them, in CI with 1.
vscode_trial.mjs tries the extension in VS Code.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BINARY = pathlib.Path(sys.argv[1]).resolve()


def problems():
    extension = json.loads((ROOT / "editors/vscode/package.json").read_text())
    versions = json.loads(subprocess.run([BINARY, "version", "-o", "json"], capture_output=True, text=True, check=True).stdout)
    if extension["version"] != versions["version"]:
        yield f"the extension has version {extension['version']}, trainjobc {versions['version']}"
    if f"\n## {extension['version']}\n" not in (ROOT / "editors/vscode/CHANGELOG.md").read_text():
        yield f"the change log says nothing about {extension['version']}"

    properties = extension["contributes"]["configuration"]["properties"]
    wanted = ["", "auto", *reversed(versions["trainerVersions"])]
    if properties["trainjobc.trainerVersion"]["enum"] != wanted:
        yield f"trainjobc.trainerVersion must be one of {wanted}"
    readme = (ROOT / "editors/vscode/README.md").read_text()
    yield from (f"the README lacks the setting {name}" for name in properties if f"`{name}`" not in readme)
    for command in extension["contributes"]["commands"]:
        if f"`{command['category']}: {command['title']}`" not in readme:
            yield f"the README lacks the command {command['title']}"
        sources = "".join(path.read_text() for path in (ROOT / "editors/vscode/src").glob("*.ts"))
        if not re.search(rf'registerCommand\("{re.escape(command["command"])}"', sources):
            yield f"nothing registers {command['command']}"


def main():
    found = list(problems())
    print("\n".join(found), end="\n" if found else "")
    check = subprocess.run([ROOT / "editors/vscode/check.sh", ROOT / "build/vscode"], env={**os.environ, "TRAINJOBC": str(BINARY)},
                           capture_output=True, text=True)
    if check.returncode != 0:
        print(check.stdout + check.stderr)
    if check.returncode == 0 and not re.search(r"^(?:#|ℹ) skipped 0$", check.stdout, re.M):
        found.append("a unit test of the extension was skipped")
        print(found[-1])
    if found or check.returncode not in (0, 77) or (check.returncode == 77 and os.environ.get("CI")):
        return 1
    return check.returncode


sys.exit(main())
