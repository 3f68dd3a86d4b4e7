#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every rule id in src has a page, rules/STAGE/NAME.md; every rule with a page is reported in src, and in a test: the example
of its page (tests/docs/rule_examples_test.py), a unit test, golden/, or what lint says of a recorded case. Stage and severity
of a finding are those of the page: nothing else in src sets them.

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
sys.path.insert(0, str(ROOT / "tools/docs"))
import examples  # noqa: E402

# A finding's stage or severity. They come from the rule's page; a user's configuration and the reports of commands that
# don't lint may change them afterwards.
RANK = re.compile(r"\w(?:\.|->)(?:stage|severity) = |\.(?:stage|severity) = (?:base::)?(?:Stage|Severity)::")
MAY_CHANGE_RANKS = {"src/rules/rules.cpp", "src/inputs/config.cpp", "src/lint/suppress.cpp", "src/cli/options.cpp", "src/compile/optimization.cpp"}
ID = re.compile(r'"((?:yaml|input|jobset|job|advice|render|migrate|config)/[a-z0-9-]+)"')
COMMENT = re.compile(r"//.*")
# Names of where a made value comes from (Node's origin), in the form of a rule.
ORIGINS = {"jobset/default"}
# Checks of schemas, which admission of the JobSet runs, too: input/type is jobset/type there.
SCHEMA_CHECKS = {"src/schema/cel.cpp", "src/k8s/object_meta.cpp", "src/schema/pattern.cpp", "src/schema/structure.cpp"}

pages = examples.read_pages()
used = {}
problems = []
for path in sorted((ROOT / "src").rglob("*")):
    if path.suffix not in (".h", ".cpp"):
        continue
    name = path.relative_to(ROOT).as_posix()
    text = path.read_text()
    if re.search(r"Diagnostic \w+;|Diagnostic\{", text) and name not in MAY_CHANGE_RANKS:
        problems.append(f"{name}: a finding is made without rules::finding")
    for number, line in enumerate(text.splitlines(), 1):
        if RANK.search(line) and name not in MAY_CHANGE_RANKS:
            problems.append(f"{name}:{number}: a stage or severity beside the rule's page")
        for rule in ID.findall(COMMENT.sub("", line)):
            used.setdefault(rule, f"{name}:{number}")
            of_job_set = rule.replace("input/", "jobset/")
            if name in SCHEMA_CHECKS and of_job_set in pages:
                used.setdefault(of_job_set, f"{name}:{number}")

for rule in sorted(used.keys() - pages.keys() - ORIGINS):
    problems.append(f"{used[rule]}: {rule} has no page: rules/{rule}.md")
for rule in sorted(pages.keys() - used.keys()):
    problems.append(f"rules/{rule}.md: nothing in src reports {rule}")
for rule in sorted(ORIGINS - used.keys()):
    problems.append(f"{rule} is not an origin any more: remove it from ORIGINS")
if not pages:
    problems.append("there is no page of a rule")


def rules_of_case(manifest):
    version = manifest.parts[-4].removeprefix("v")
    command = [sys.argv[1], "lint", "--no-catalogue", "--trainer-version", version, "--format", "json", str(manifest)]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return {finding["rule"] for finding in json.loads(said)["diagnostics"]}


tests = [*(ROOT / "tests" / "unit").rglob("*.cpp"), *(ROOT / "golden").rglob("std*")]
tested = {rule for path in tests for rule in re.findall(r"[a-z]+/[a-z0-9-]+", path.read_text())}
tested |= {rule for rule, page in pages.items() if page.sections or "unreachable" in page.facts}
recorded = sorted((ROOT / "tests" / "conformance").glob("v*/*/*/input.yaml"))
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    tested = tested.union(*pool.map(rules_of_case, recorded))
for rule in sorted(pages.keys() - tested):
    problems.append(f"rules/{rule}.md: no test reports {rule}")
print("\n".join(problems) or f"{len(pages)} rules, all with a page, used and tested")
sys.exit(1 if problems else 0)
