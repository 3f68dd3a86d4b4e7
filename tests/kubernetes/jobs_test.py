#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random Jobs beside Kubernetes' own strategy of Jobs (tests/e2e/cluster/jobs, a Go program): whether the API server refuses one,
what it drops, and what it fills in.

jobs_test.py KUBERNETES_JOBS FOLDER [COUNT [SEED [VERSION...]]]      5000 1 1.36.3
"""

import collections
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "e2e"))
import programs  # noqa: E402

SOURCE = os.path.join(HERE, "..", "e2e", "cluster", "jobs")


def go_mod(version):
    """What Kubernetes' own go.mod says of the modules that are published with it: v0.0.0."""
    said = subprocess.run([programs.find_go(), "mod", "download", "-json", f"k8s.io/kubernetes@v{version}"], capture_output=True,
                          text=True, check=False, cwd="/")
    if said.returncode != 0:
        raise programs.Missing(f"Kubernetes {version} can't be downloaded")
    with open(json.loads(said.stdout)["GoMod"], encoding="utf-8") as file:
        text = file.read()
    language = re.search(r"(?m)^go \S+", text).group()
    own = sorted(set(re.findall(r"(?m)^\s*(k8s\.io/\S+) v0\.0\.0(?:\s|$)", text)))
    replaced = "".join(f"replace {name} => {name} v0{version[1:]}\n" for name in own)
    return f"module jobs\n\n{language}\n\nrequire k8s.io/kubernetes v{version}\n\n{replaced}"


def build(version, folder):
    """The program, and the folder of the k8s.io/api that it has."""
    program = os.path.join(os.path.abspath(folder), f"jobs-{version}")
    flags = [*programs.FLAGS, "-o", program]
    for module in programs.KUBERNETES.values():
        if f"k8s.io/kubernetes v{version}\n" in programs.go_mod(module):
            programs.run_go(module, "build", *flags, "./jobs")
            return program, programs.source_folder(module, "k8s.io/api")
    source = os.path.join(os.path.abspath(folder), f"jobs-source-{version}")
    os.makedirs(source, exist_ok=True)
    shutil.copy(os.path.join(SOURCE, "main.go"), source)
    with open(os.path.join(source, "go.mod"), "w", encoding="utf-8") as file:
        file.write(go_mod(version))
    go = ["nice", programs.find_go()]
    environment = {**os.environ, "GOFLAGS": "-mod=mod", "GOGC": "400"}
    subprocess.run([*go, "build", *flags, "."], cwd=source, env=environment, check=True)
    found = subprocess.run([*go, "list", "-m", "-f", "{{.Dir}}", "k8s.io/api"], cwd=source, env=environment, capture_output=True,
                           text=True, check=True)
    return program, found.stdout.strip()


def run(*command, given=""):
    return subprocess.run(command, input=given, capture_output=True, text=True, check=True).stdout.splitlines()


def differences(ours, theirs, path=""):
    """Paths of what only one has or has with another value; a field without content counts as missing."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted({*ours, *theirs}):
            yield from differences(ours.get(key), theirs.get(key), f"{path}.{key}")
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for index, (one, other) in enumerate(zip(ours, theirs)):
            yield from differences(one, other, f"{path}[{index}]")
    elif ours != theirs and not (is_empty(ours) and is_empty(theirs)):
        yield path


def is_empty(value):
    return value in (None, "", False) or value == {} or value == [] or value == 0


def of_template(spec):
    """The spec of a Job without what its controller's labels add."""
    return {**{key: value for key, value in spec.items() if key != "selector"}, "template": {"spec": spec["template"]["spec"]}}


def compare(job, ours, theirs, version):
    """What differs, in a few words each."""
    if bool(ours[version]["errors"]) != bool(theirs["errors"]):
        yield f"refused by one only: {(ours[version]['errors'] or theirs['errors'])[0]}"
    if theirs["errors"] or ours[version]["errors"]:
        return
    # A stop signal stays in what is checked.
    left = {path.removesuffix(".stopSignal") for path in ours[version]["dropped"]}
    for path in differences(of_template(ours[version]["defaulted"]["spec"]), of_template(theirs["spec"])):
        if path.removeprefix(".template.spec").removesuffix(".stopSignal") not in left:
            yield f"of a Job: {path}"
    # What a pod's template drops is seen in the Job. Since 1.37 a pod's own requests are filled in later.
    if not ours[version]["dropped"] and "resources" not in job["spec"]["template"]["spec"]:
        for path in differences(ours["pod"], theirs["pod"]):
            yield f"of a pod: {path}"


def main(program, folder, count="5000", seed="1", *versions):
    os.makedirs(folder, exist_ok=True)
    built = {version: build(version, folder) for version in versions or ["1.36.3"]}
    newest, api = list(built.values())[-1]
    jobs = run(newest, "generate", count, seed, f"{api}/core/v1/types.go", f"{api}/batch/v1/types.go")
    answers = [json.loads(line) for line in run(program, given="\n".join(jobs) + "\n")]
    # The others never reach the API server as Jobs.
    ours = [answer for answer in answers if not answer["refused"]]
    made = [{**answer["job"], "apiVersion": "batch/v1", "kind": "Job"} for answer in ours]
    for job in made:
        job["metadata"] = {**job.get("metadata", {}), "name": "j-n-0", "namespace": "default"}
    problems = collections.Counter()
    examples = {}
    for version, (reference, _) in built.items():
        theirs = [json.loads(line) for line in run(reference, "create", given="".join(json.dumps(job) + "\n" for job in made))]
        valid = sum(not answer["errors"] for answer in theirs)
        print(f"Kubernetes {version}: {len(theirs)} Jobs of {count} (seed {seed}), {valid} of them valid", flush=True)
        for job, one, other in zip(made, ours, theirs, strict=True):
            for problem in compare(job, one, other, ".".join(version.split(".")[:2])):
                kind = re.sub(r'"[^"]*"|\d+', "#", problem)
                problems[kind] += 1
                examples.setdefault(kind, f"{version}: {problem}\n  {json.dumps(of_template(job['spec']))}")
    for kind, number in problems.most_common(20):
        print(f"{number} times {examples[kind]}")
    print(f"{sum(problems.values())} differences")
    return 1 if problems or len(ours) < int(count) // 2 else 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except programs.Missing as missing:
        print(f"skipped: {missing}")
        sys.exit(1 if os.environ.get("TRAINJOBC_E2E") == "required" else 77)
