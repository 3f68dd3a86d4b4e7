#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `plan --quota` says of the jobs in ../shared/next/kueue, against what Kueue 0.19.2 did with them.

usage: kueue_next_test.py BINARY
A folder has input.yaml, quota.yaml and kueue-0.19.2.json: the answer by job, null if Kueue's webhook refused it. Without
../shared it says so and ends with status 77.
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared/next/kueue"


def flavors_of(flavors):
    ours = {}
    for one in flavors:
        ours.setdefault(one["podSet"], {})[one["resource"]] = one["flavor"]
    return ours


# What plan says it has not checked, and how Kueue's message begins if that is what was in the way.
UNCHECKED = {"the nodes of Topology ": "couldn't assign flavors to pod set node: topology ", "LimitRange ": "resources validation failed: "}


def is_unchecked(message, conditions):
    return any(message.startswith(said) and any(one.startswith(condition) for one in conditions) for condition, said in UNCHECKED.items())


def compare(theirs, admission):
    """"" if plan says the same of the job."""
    together = admission.get("together")
    admitted = admission["verdict"] != "never" and together is not None and together["verdict"] == "admitted"
    if not (theirs or {}).get("admitted"):
        if is_unchecked((theirs or {}).get("message") or "", admission["notChecked"]):
            return ""
        return "" if not admitted else f"Kueue: {(theirs or {}).get('message', 'refused')}, plan: {flavors_of(together['flavors'])}"
    if not admitted:
        return f"Kueue: {theirs['flavors']}, plan: {admission['verdict']} {admission['missing']} {together and together['missing']}"
    expected = {name: one for name, one in theirs["flavors"].items() if one}
    ours = flavors_of(together["flavors"])
    return "" if ours == expected else f"Kueue: {expected}, plan: {ours}"


def main():
    binary = str(pathlib.Path(sys.argv[1]).resolve())
    if not SHARED.is_dir():
        print("skipped: ../shared/next/kueue is missing")
        return 77
    good, problems = 0, []
    for folder in sorted(SHARED.iterdir()):
        recorded = json.loads((folder / "kueue-0.19.2.json").read_text())
        words = [binary, "plan", "--no-config", "--no-catalogue", "--kueue-version", "0.19.2", "-o", "json", "--quota", "quota.yaml", "input.yaml"]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        jobs = {one["name"]: one for one in json.loads(done.stdout)["jobs"]} if done.stdout else {}
        for name, theirs in recorded.items():
            # A job that lint refuses is in no plan, and in no queue.
            problem = compare(theirs, jobs[name]["admission"]) if name in jobs else theirs and theirs.get("admitted") and done.stderr
            if problem:
                problems.append(f"{folder.name}/{name}: {problem}"[:500])
            else:
                good += 1
    print("\n".join(problems))
    print(f"{good} passed, {len(problems)} failed")
    return 1 if problems else 0


sys.exit(main())
