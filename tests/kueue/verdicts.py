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


RECORDED = "0.15"  # the release of Kueue whose decisions are recorded


def plans_of(program, inputs, folder, kueue):
    """The jobs of the plan for a version of Kueue, by namespace and name; inputs: objects by file."""
    for name, items in inputs.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            json.dump({"apiVersion": "v1", "kind": "List", "items": items}, file)
    words = ["plan", "--no-config", "--no-catalogue", "--trainer-version=2.3", f"--kueue-version={kueue}", "-o", "json"]
    ran = subprocess.run([program, *words, "--quota", "quota.json", "jobs.json"], cwd=folder, capture_output=True, text=True, check=False)
    if ran.returncode > 1:
        raise RuntimeError(ran.stderr)
    return {(one["namespace"], one["name"]): one["admission"] for one in json.loads(ran.stdout)["jobs"]}


def compare(program, cases, folder, kueue=RECORDED):
    """A problem for each case of which plan says something else."""
    inputs = {"quota.json": [], "jobs.json": []}
    for case in cases.values():
        inputs["quota.json"] += case["quota"]
        inputs["jobs.json"] += [case["runtime"], case["job"]]
    try:
        plans = {namespace: one for (namespace, _), one in plans_of(program, inputs, folder, kueue).items()}
    except RuntimeError as error:
        return [str(error)]
    problems = [f"{name}: plan knows no such job" for name in cases.keys() - plans.keys()]
    for name in sorted(cases.keys() & plans.keys()):
        problem = compare_one(cases[name], plans[name])
        problems += [f"{name}: {problem}"] if problem else []
    return problems


UNUSED = re.compile(r"insufficient unused quota for (\S+) in flavor ([^\s,]+)")


def flavors_by_pod_set(flavors):
    ours = {}
    for one in flavors:
        ours.setdefault(one["podSet"], {})[one["resource"]] = one["flavor"]
    return ours


def compare_waiting(theirs, ours):
    """Kueue's last word on a job that stays pending may be older than what plan says, but what was short stays so."""
    if ours["verdict"] != "pending":
        return f"Kueue: {theirs}, plan: admitted {flavors_by_pod_set(ours['flavors'])}"
    known = {(one["resource"], one["flavor"]) for one in ours["missing"]}
    flavors = {flavor for _, flavor in known}
    # Kueue looks at the resource groups in no order, and stops at the first that is short.
    short = {one for one in UNUSED.findall(theirs.get("message", "")) if one[1] in flavors}
    if ours["cause"] == "quota" and not short <= known:
        return f"Kueue is short of {short}, plan of {known}"
    return ""


def compare_job(theirs, ours):
    if "flavors" not in theirs:
        return compare_waiting(theirs, ours)
    expected = {name: one for name, one in theirs["flavors"].items() if one}
    if ours["verdict"] != "admitted" or flavors_by_pod_set(ours["flavors"]) != expected:
        return f"Kueue: {expected}, plan: {ours['verdict']} {flavors_by_pod_set(ours['flavors'])} {ours['missing']}"
    return ""


def at_once(jobs):
    """The same jobs as if they came in one second: by their names, which begin with their age. {new name: old name}."""
    names = {}
    for age, one in enumerate(sorted(jobs, key=lambda one: one["job"]["metadata"].get("creationTimestamp", ""))):
        metadata = one["job"]["metadata"]
        metadata.pop("creationTimestamp", None)
        name = f"j{age:02}-{metadata['name']}"
        names[name] = metadata["name"]
        metadata["name"] = name
    return names


def compare_together(program, shared, cases, folder, kueue=RECORDED):
    """The same for cases of several jobs; `shared` are objects for all of them. The jobs waited until all were there."""
    inputs = {"quota.json": list(shared), "jobs.json": []}
    names = {}
    for case in cases.values():
        inputs["quota.json"] += case["quota"]
        names |= at_once(case["jobs"])
        for one in case["jobs"]:
            inputs["jobs.json"] += [one["runtime"], one["job"]]
    plans = plans_of(program, inputs, folder, kueue)
    problems = []
    for name, case in cases.items():
        for one in case["jobs"]:
            job = one["job"]["metadata"]["name"]
            admission = plans.get((name, job))
            if admission is None or "together" not in admission:
                problems.append(f"{name}/{job}: plan has no answer: {admission}")
                continue
            if names[job] in case["starved"]:
                continue  # Kueue has not tried it
            problem = compare_job(one["kueue"], admission["together"])
            problems += [f"{name}/{job}: {problem}"] if problem else []
    return problems
