# SPDX-License-Identifier: Apache-2.0
"""All recorded cases in one process: the module returns the bytes that the command prints.

The cases are those of tests/conformance and, if it is there, of ../shared/conformance.
"""

import concurrent.futures
import json
import os
import re

import pytest

import trainjobc
from conftest import ROOT

FOLDERS = [ROOT / "tests/conformance", ROOT.parent / "shared/conformance"]
CASES = sorted(path for folder in FOLDERS for path in folder.glob("**/input.yaml"))


def version_of(path):
    return next(part[1:] for part in path.parts if re.fullmatch(r"v\d\.\d", part))


def compare(path, command, seed):
    options = {"trainer_version": version_of(path), "catalogue": False}
    flags = ["--no-config", "--no-catalogue", "--trainer-version", options["trainer_version"]]
    made = trainjobc.render(path, keep_going=True, owner_references=True, ssh_key={"seed": seed}, **options)
    flags_of_render = [*flags, "--keep-going", "--owner-references", "--ssh-key", f"seed:{seed}"]
    problems = []
    if made.yaml != command("render", *flags_of_render, path)[1]:
        problems.append(f"{path}: render")
    said = json.loads(command("lint", *flags, "--format", "json", path)[1])["diagnostics"]
    said = [one for one in said if not one.get("consequence")]  # one cause, one finding
    found = [
        {
            "rule": one.rule, "stage": one.stage, "severity": one.severity, "object": one.object, "field": one.field,
            "message": one.message, "hint": one.hint, "file": one.file or "", "line": one.line or 0,
            "column": one.column or 0, "endLine": one.place.end_line or 0, "endColumn": one.place.end_column or 0,
        }
        for one in trainjobc.lint(path, **options).findings
    ]
    if found != [{key: one.get(key) for key in found[0]} for one in said] if found else said:
        problems.append(f"{path}: lint")
    return problems


def test_every_recorded_case(command, tmp_path):
    if not CASES:
        pytest.skip("no recorded cases")
    seed = tmp_path / "seed"
    seed.write_text("a seed for tests only, of no other use\n")
    seed.chmod(0o600)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = [one for found in pool.map(lambda path: compare(path, command, seed), CASES) for one in found]
    print(f"{len(CASES)} cases")
    assert problems == []
