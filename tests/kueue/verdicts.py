# SPDX-License-Identifier: Apache-2.0

"""Compares what `plan --quota` says with what Kueue did with the same jobs and quotas."""

import json
import os
import re
import subprocess

SHORT = re.compile(r"insufficient (?:unused )?quota for (\S+) in flavor (\S+?),.*?maximum capacity \((\S+?)\)")
UNCOVERED = re.compile(r"resource (\S+) unavailable in ClusterQueue")
TAINT = re.compile(r"untolerated taint .*? in flavor ([^\s,]+)")
AFFINITY = re.compile(r"flavor (\S+) doesn't match node affinity")
TOPOLOGY = re.compile(r'Flavor "(\S+?)" (?:does not support|supports only|does not contain)')


def reasons_of_kueue(message):
    """{(kind, resource, flavor, most)} of a Workload's condition."""
    found = {("short", *match.groups()) for match in SHORT.finditer(message)}
    found |= {("uncovered", match[1], "", "") for match in UNCOVERED.finditer(message)}
    found |= {("taint", "", match[1], "") for match in TAINT.finditer(message)}
    found |= {("affinity", "", match[1], "") for match in AFFINITY.finditer(message)}
    return found | {("topology", "", match[1], "") for match in TOPOLOGY.finditer(message)}


def kind_of(obstacle):
    for kind, words in {"taint": "tolerate its taint", "affinity": "node labels", "topology": "topology"}.items():
        if words in obstacle["reason"].lower() and obstacle["flavor"]:
            return kind
    if "covers no" in obstacle["reason"]:
        return "uncovered"
    return "short" if obstacle["most"] else "queue"


def reasons_of_plan(admission, pod_set):
    """Those of one pod set, if Kueue names one: it tries the others with other flavors meanwhile."""
    missing = [one for one in admission["missing"] if not pod_set or one["podSet"] == pod_set]
    return {(kind_of(one), one["resource"], one["flavor"], one["most"]) for one in missing}


def compare_reasons(theirs, ours):
    """"" if they agree. Kueue stops at the first resource that a flavor is short of, in no order."""
    if not theirs:
        return "" if {kind for kind, *_ in ours} == {"queue"} else f"plan gives other reasons: {ours}"
    if not theirs <= ours:
        return f"plan does not give {theirs - ours}, but {ours}"
    if {flavor for _, _, flavor, _ in theirs} != {flavor for _, _, flavor, _ in ours}:
        return f"plan gives reasons of other flavors: {ours - theirs}"
    return ""


def compare_one(case, admission):
    if admission["verdict"] != case["verdict"]:
        return f"Kueue: {case['verdict']} ({case.get('message', '')}), plan: {admission['verdict']} {admission['missing']}"
    if case["verdict"] == "admitted":
        flavors = {name: dict(one) for name, one in case["flavors"].items() if one}
        ours = {}
        for one in admission["flavors"]:
            ours.setdefault(one["podSet"], {})[one["resource"]] = one["flavor"]
        return "" if flavors == ours else f"Kueue: {flavors}, plan: {ours}"
    if case["verdict"] == "never":
        pod_set = re.match(r"couldn't assign flavors to pod set (\S+):", case["message"])
        ours = reasons_of_plan(admission, pod_set[1] if pod_set else "")
        return compare_reasons(reasons_of_kueue(case["message"]), ours)
    return ""


def compare(program, cases, folder):
    """A problem for each case of which plan says something else."""
    inputs = {"quota.json": [], "jobs.json": []}
    for case in cases.values():
        inputs["quota.json"] += case["quota"]
        inputs["jobs.json"] += [case["runtime"], case["job"]]
    for name, items in inputs.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            json.dump({"apiVersion": "v1", "kind": "List", "items": items}, file)
    words = ["plan", "--no-config", "--no-catalogue", "--trainer-version=2.3", "-o", "json"]
    ran = subprocess.run([program, *words, "--quota", "quota.json", "jobs.json"], cwd=folder, capture_output=True, text=True, check=False)
    if ran.returncode > 1:
        return [ran.stderr]
    plans = {one["namespace"]: one["admission"] for one in json.loads(ran.stdout)["jobs"]}
    problems = [f"{name}: plan knows no such job" for name in cases.keys() - plans.keys()]
    for name in sorted(cases.keys() & plans.keys()):
        problem = compare_one(cases[name], plans[name])
        problems += [f"{name}: {problem}"] if problem else []
    return problems
