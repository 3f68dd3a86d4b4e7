#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The VS Code extension: its versions are the binary's, its types and unit tests pass (editors/vscode/check.sh).

usage: vscode_test.py BINARY; build/vscode keeps npm's packages. Ends with 77 if npm can't get them.
vscode_trial.mjs tries the extension in VS Code.
"""
import json
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
    check = subprocess.run([ROOT / "editors/vscode/check.sh", ROOT / "build/vscode"], capture_output=True, text=True)
    if check.returncode != 0:
        print(check.stdout + check.stderr)
    if found or check.returncode not in (0, 77):
        return 1
    return check.returncode


sys.exit(main())
