#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rules of docs/tasks/own-rules.md pass the cases of tests/policies, and each of them has a good and a bad one.

usage: own_rules_test.py TRAINJOBC
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]

page = (ROOT / "docs/tasks/own-rules.md").read_text()
blocks = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(policies:.*?)```", page, re.S)]
rules = [rule for block in blocks for rule in block["policies"] if "id" in rule]
problems = [] if len(rules) == 12 else [f"the page has {len(rules)} rules, not twelve"]
for rule in rules:
    names = [path.name for path in (ROOT / "tests/policies" / rule["id"]).glob("*.yaml")]
    problems += [f"{rule['id']} has no {kind} case" for kind in ("good", "bad") if not any(name.startswith(kind) for name in names)]
with tempfile.TemporaryDirectory() as folder:
    cases = pathlib.Path(folder) / "policies"
    shutil.copytree(ROOT / "tests/policies", cases)
    (pathlib.Path(folder) / ".trainjobc.yaml").write_text(yaml.safe_dump({"policies": rules}))
    run = subprocess.run([pathlib.Path(sys.argv[1]).resolve(), "policies", "test", "policies"], cwd=folder, capture_output=True, text=True, check=False)
    if run.returncode or "all pass" not in run.stderr:
        problems.append(f"policies test ends with {run.returncode}:\n{run.stdout}{run.stderr}")
    # The cases are no better than the settings: without the labels and limits, the bad ones must fail.
    (pathlib.Path(folder) / ".trainjobc.yaml").write_text(yaml.safe_dump({"policies": [dict(rule, expression="true") for rule in rules]}))
    run = subprocess.run([pathlib.Path(sys.argv[1]).resolve(), "policies", "test", "policies"], cwd=folder, capture_output=True, text=True, check=False)
    if run.returncode != 1 or not all(f"team/{rule['id']} finds nothing" in run.stdout for rule in rules):
        problems.append(f"rules that are always true pass with {run.returncode}:\n{run.stdout}{run.stderr}")
print("\n".join(problems) or f"{len(rules)} rules, all with cases that pass")
sys.exit(1 if problems else 0)
