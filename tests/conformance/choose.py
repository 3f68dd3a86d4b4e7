#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Chooses the recorded cases that are kept in this folder: a small set that covers what the whole set covers.

usage: choose.py RECORDINGS TRAINJOBC

A case is worth keeping for what no case before it had, in its Trainer version: a rule that lint reports, a field that
the API server or a webhook names, a policy, a kind of object, a path in a rendered object. The cases with the most of
that come first. What no comparison reads is left out: messages, and the text of Flux's scripts.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
POLICIES = ("torch", "mpi", "jax", "xgboost", "flux", "coscheduling", "volcano", "initializer")
INDEX = re.compile(r"\[\d+\]")


def paths(value, at=""):
    if isinstance(value, dict):
        for key, item in value.items():
            yield from paths(item, f"{at}.{key}")
    elif isinstance(value, list):
        for item in value:
            yield from paths(item, f"{at}[]")
    else:
        yield at


def rules_reported(trainjobc, version, manifest):
    command = [trainjobc, "lint", "--no-catalogue", "--trainer-version", version, "--format", "json", str(manifest)]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return {finding["rule"] for finding in json.loads(said)["diagnostics"]}


def features(trainjobc, folder, version):
    manifest = folder / "input.yaml"
    expected = json.loads((folder / "expected.json").read_text())
    text = manifest.read_text()
    found = {("rule", rule) for rule in rules_reported(trainjobc, version, manifest)}
    found |= {("policy", name) for name in POLICIES if re.search(rf"\b{name}:", text)}
    if "parseError" in expected:
        found.add(("parse error",))
    for verdict in expected.get("admission", []):
        for error in verdict.get("errors", []):
            found.add(("refused", error["stage"], error.get("type"), INDEX.sub("[]", error.get("field") or "")))
    for job in expected.get("jobs", []):
        found.add(("job", "error" in job, job.get("jobSetAdmission", {}).get("allowed", True)))
        for recorded in job.get("objects") or []:
            found.add(("kind", recorded["kind"]))
            found |= {("path", recorded["kind"], path) for path in paths(recorded)}
        for verdict in job.get("jobAdmission") or []:
            for error in verdict.get("errors", []):
                found.add(("Job refused", INDEX.sub("[]", error.get("field") or "")))
    if (folder / "live.json").exists():
        found.add(("live", (folder / "diff.json").exists()))
    return found


def choose(cases):
    """The folders of `cases` ({folder: features}), in order, until every feature has been seen."""
    chosen, left = [], dict(cases)
    missing = set().union(*left.values())
    while missing:
        best = max(sorted(left), key=lambda folder: len(left[folder] & missing))
        missing -= left.pop(best)
        chosen.append(best)
    return chosen


def without_texts(expected):
    """What the comparison reads."""
    for verdict in expected.get("admission", []):
        for error in verdict.get("errors", []):
            error.pop("detail", None)
    for job in expected.get("jobs", []):
        refused = job.get("jobSetAdmission", {}).get("errors", [])
        refused += [error for verdict in job.get("jobAdmission") or [] for error in verdict.get("errors", [])]
        for error in refused:
            error.pop("detail", None)
        for recorded in job.get("objects") or []:
            if recorded["kind"] == "ConfigMap":
                recorded["data"] = {k: "<script>" if k.endswith(".sh") else v for k, v in (recorded.get("data") or {}).items()}
    if "parseError" in expected:
        expected["parseError"] = True
    return expected


def keep(folder, target):
    target.mkdir(parents=True)
    shutil.copyfile(folder / "input.yaml", target / "input.yaml")
    for name in ("expected", "live", "live-changed", "diff"):
        source = folder / f"{name}.json"
        if source.exists():
            content = without_texts(json.loads(source.read_text())) if name == "expected" else json.loads(source.read_text())
            (target / f"{name}.json").write_text(json.dumps(content, separators=(",", ":"), ensure_ascii=False) + "\n")


def main(recordings, trainjobc):
    for version in sorted(pathlib.Path(recordings).glob("v2.*")):
        folders = sorted(path.parent for path in version.glob("*/*/expected.json"))
        number = version.name.removeprefix("v")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = pool.map(lambda folder: features(trainjobc, folder, number), folders)
        chosen = choose(dict(zip(folders, found)))
        shutil.rmtree(HERE / version.name, ignore_errors=True)
        for folder in sorted(chosen):
            keep(folder, HERE / version.name / folder.parent.name / folder.name)
        print(f"{version.name}: {len(chosen)} of {len(folders)} cases")


if __name__ == "__main__":
    main(*sys.argv[1:])
