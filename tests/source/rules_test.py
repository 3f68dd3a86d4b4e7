#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every rule id in src is in the registry, src/rules/rules_*.cpp; every registered rule is used there, and reported
in a test: its id is in a unit test, in golden/, or in what lint says of a recorded case. Stage and severity of a finding
are those of its row: nothing else in src sets them.

usage: rules_test.py TRAINJOBC
"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
REGISTRY = re.compile(r"^src/rules/rules_\w+\.cpp$")
# A finding's stage or severity. They come from the rule's row; a user's configuration and the reports of commands that
# don't lint may change them afterwards.
RANK = re.compile(r"\w(?:\.|->)(?:stage|severity) = |\.(?:stage|severity) = (?:base::)?(?:Stage|Severity)::")
MAY_CHANGE_RANKS = {"src/rules/rules.cpp", "src/lint/suppress.cpp", "src/cli/common_options.cpp"}
ID = re.compile(r'"((?:yaml|input|jobset|job|advice|render|migrate|config)/[a-z0-9-]+)"')
ENTRY = re.compile(r'\{\s*"([a-z]+/[a-z0-9-]+)",\s*Stage::')
COMMENT = re.compile(r"//.*")
# Names of where a made value comes from (Node's origin), in the form of a rule.
ORIGINS = {"jobset/default"}
# Checks of schemas, which admission of the JobSet runs, too: input/type is jobset/type there.
SCHEMA_CHECKS = {"src/schema/cel.cpp", "src/k8s/labels.cpp", "src/schema/pattern.cpp", "src/schema/structure.cpp"}
# Only fields of an object's status have such formats, and the API server drops what a manifest says there.
NOT_REACHED = {"input/pattern", "jobset/pattern", "jobset/format"}

registered = {}
used = {}
problems = []
for path in sorted((ROOT / "src").rglob("*")):
    if path.suffix not in (".h", ".cpp"):
        continue
    name = path.relative_to(ROOT).as_posix()
    text = path.read_text()
    if REGISTRY.search(name):
        for rule in ENTRY.findall(text):
            if rule in registered:
                problems.append(f"{name}: {rule} is in {registered[rule]} already")
            registered[rule] = name
        continue
    if re.search(r"Diagnostic \w+;|Diagnostic\{", text) and name not in MAY_CHANGE_RANKS:
        problems.append(f"{name}: a finding is made without rules::finding")
    for number, line in enumerate(text.splitlines(), 1):
        if RANK.search(line) and name not in MAY_CHANGE_RANKS:
            problems.append(f"{name}:{number}: a stage or severity beside the rule's row")
        for rule in ID.findall(COMMENT.sub("", line)):
            used.setdefault(rule, f"{name}:{number}")
            if name in SCHEMA_CHECKS:
                used.setdefault(rule.replace("input/", "jobset/"), f"{name}:{number}")

for rule in sorted(used.keys() - registered.keys() - ORIGINS):
    problems.append(f"{used[rule]}: {rule} is not in the registry (src/rules/rules_*.cpp)")
for rule in sorted(registered.keys() - used.keys()):
    problems.append(f"{registered[rule]}: nothing in src reports {rule}")
for rule in sorted(ORIGINS - used.keys()):
    problems.append(f"{rule} is not an origin any more: remove it from ORIGINS")
if not registered:
    problems.append("the registry is empty")


def rules_of_case(manifest):
    version = manifest.parts[-4].removeprefix("v")
    command = [sys.argv[1], "lint", "--no-catalogue", "--trainer-version", version, "--format", "json", str(manifest)]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return {finding["rule"] for finding in json.loads(said)["diagnostics"]}


tests = [*(ROOT / "tests" / "unit").rglob("*.cpp"), *(ROOT / "golden").rglob("std*")]
tested = {rule for path in tests for rule in re.findall(r"[a-z]+/[a-z0-9-]+", path.read_text())}
recorded = sorted((ROOT / "tests" / "conformance").glob("v*/*/*/input.yaml"))
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    tested = tested.union(*pool.map(rules_of_case, recorded))
for rule in sorted(registered.keys() - tested - NOT_REACHED):
    problems.append(f"{registered[rule]}: no test reports {rule}")
print("\n".join(problems) or f"{len(registered)} rules, all registered, used and tested")
sys.exit(1 if problems else 0)
