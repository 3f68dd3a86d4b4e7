#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `plan --quota` says of jobs, against what Kueue 0.15.2 did with them: verdicts.json, which quota_tests.py of
tests/e2e/suites records, and together.json of several jobs at once, which its queues_tests.py records.

usage: kueue_verdicts_test.py BINARY
"""
import json
import pathlib
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))

import verdicts  # noqa: E402

LEAST = 60
# What Kueue 0.17.0 did otherwise, live: it leaves out a resource of which a pod asks for none, if no flavor covers it.
OF_0_17 = {"uncovered-zero": {"verdict": "admitted", "flavors": {"node": {"cpu": "uncovered-zero-f"}}}}


def main():
    binary = str(pathlib.Path(sys.argv[1]).resolve())
    cases = json.loads((FOLDER / "verdicts.json").read_text())
    with tempfile.TemporaryDirectory() as folder:
        problems = verdicts.compare(binary, cases, folder)
    newer = {name: {**case, **OF_0_17.get(name, {})} for name, case in cases.items()}
    with tempfile.TemporaryDirectory() as folder:
        problems += verdicts.compare(binary, newer, folder, "0.17.0")
    together = json.loads((FOLDER / "together.json").read_text())
    with tempfile.TemporaryDirectory() as folder:
        problems += verdicts.compare_together(binary, together["shared"], together["cases"], folder)
    for recorded in (cases, together["cases"]):
        if len(recorded) < LEAST:
            problems.append(f"only {len(recorded)} cases are recorded")
    count = len(cases) + len(newer) + sum(len(case["jobs"]) for case in together["cases"].values())
    print("\n".join(problems))
    print(f"{count - len(problems)} passed, {len(problems)} failed")
    return 1 if problems else 0


sys.exit(main())
