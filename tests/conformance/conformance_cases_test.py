#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares trainjobc with the recorded cases in tests/conformance: what Trainer's webhooks and its controller, JobSet's
admission and a kube-apiserver made of each input.

usage: conformance_cases_test.py TRAINJOBC [PART_OF_A_NAME]
"""

import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from recorded import cases, comparable, difference, identity  # noqa: E402


class Run:
    """What trainjobc says of one case; `problems` is what was recorded otherwise."""

    def __init__(self, trainjobc, case):
        self.trainjobc = trainjobc
        self.case = case
        self.problems = []

    def call(self, command, *flags):
        arguments = [self.trainjobc, command, "--no-catalogue", "--trainer-version", self.case.version, *flags, self.case.manifest]
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout

    def expect(self, holds, problem):
        if not holds:
            self.problems.append(problem)

    def findings(self):
        status, said = self.call("lint", "--format", "json")
        self.status = status
        return json.loads(said)["diagnostics"]

    def rendered(self, *flags):
        _, said = self.call("render", "-o", "json", "--keep-going", "--owner-references", *flags)
        return {identity(item): comparable(item) for item in (json.loads(said)["items"] if said else [])}

    def check(self):
        findings = self.findings()
        if "parseError" in self.case.expected:
            self.expect(self.status == 1 and findings, "unreadable YAML is a finding with status 1")
            return self
        for verdict in self.case.expected["admission"]:
            if not verdict.get("skip"):
                self.check_verdict(verdict, [f for f in findings if f["object"] == verdict["object"]])
        self.check_objects()
        self.check_live()
        return self

    def job_of(self, verdict):
        kind, namespace, name = verdict["object"].split("/")
        if kind != "TrainJob":
            return {}
        for job in self.case.expected.get("jobs", []):
            if job["trainJob"] == name and namespace_of(job) in ("", namespace or "default"):
                return job
        return {}

    def check_verdict(self, verdict, findings):
        job = self.job_of(verdict)
        job_set = job.get("jobSetAdmission", {"allowed": True})
        accepted = verdict["allowed"] and not job.get("error") and job_set["allowed"]
        errors = [f for f in findings if f["severity"] == "error"]
        of_inputs = [f for f in errors if f["stage"] not in ("job", "advice")]
        name = verdict["object"]
        self.expect(accepted == (not of_inputs), f"{name}: recorded {'accepted' if accepted else 'refused'}, lint found {of_inputs[:1]}")
        self.check_fields(name, verdict.get("errors", []) + job_set.get("errors", []), of_inputs)
        if verdict.get("warnings"):
            self.expect(any(f["severity"] == "warning" for f in findings), f"{name}: a warning was recorded")
        if accepted and job.get("jobAdmission"):
            refused = [e for v in job["jobAdmission"] if not v["allowed"] for e in v.get("errors", [])]
            of_jobs = [f for f in errors if f["stage"] == "job"]
            self.expect(bool(refused) == bool(of_jobs), f"{name}: Jobs recorded {refused[:1]}, lint found {of_jobs[:1]}")
            self.check_fields(name, refused, of_jobs)

    def check_fields(self, name, recorded, findings):
        fields = {finding["field"] for finding in findings}
        for field in sorted({error["field"] for error in recorded if error.get("field")} - fields):
            self.expect(False, f"{name}: {field} was recorded, lint names {sorted(fields)}")

    def check_objects(self):
        refused = {v["object"] for v in self.case.expected["admission"] if not v["allowed"]}
        jobs = [job for job in self.case.expected.get("jobs", []) if renders(job) and job_name(job) not in refused]
        if not jobs:
            return
        recorded = {identity(item): comparable(item) for job in jobs for item in job["objects"]}
        self.compare(recorded, self.rendered())
        admitted = [job["admittedJobSet"] for job in jobs if job.get("admittedJobSet")]
        stored = self.rendered("--with-defaults")
        recorded = {identity(item): comparable(item) for item in admitted}
        self.compare(recorded, {key: item for key, item in stored.items() if key in recorded or key[0] == "JobSet"})

    def compare(self, recorded, rendered):
        for key in sorted(recorded.keys() | rendered.keys()):
            found = difference(recorded.get(key, "<absent>"), rendered.get(key, "<absent>"))
            self.expect(found is None, f"{'/'.join(key)}{found}")

    def check_live(self):
        if self.case.read("live") is None:
            return
        self.check_difference("live.json", 0, [])
        changes = self.case.read("diff")
        if changes:
            self.check_difference("live-changed.json", 1, changes["changed"])

    def check_difference(self, live, status, want):
        ended, said = self.call("diff", "--format", "json", "--live", str(self.case.folder / live))
        found = sorted(f'{item["object"]} {item["path"]}' for item in json.loads(said)["differences"])
        self.expect((ended, found) == (status, sorted(want)), f"diff {live}: want {sorted(want)}, got {found}, status {ended}")


def namespace_of(job):
    """Known where something was made."""
    for item in job.get("objects") or []:
        return item["metadata"].get("namespace") or "default"
    return job.get("namespace", "")


def job_name(job):
    return f"TrainJob/{namespace_of(job)}/{job['trainJob']}"


def renders(job):
    return bool(job.get("objects")) and not job.get("error") and job.get("jobSetAdmission", {}).get("allowed", True)


def main(trainjobc, part=""):
    chosen = [case for case in cases() if part in case.name]
    if not chosen:
        sys.exit("there is no such case")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = list(pool.map(lambda case: Run(trainjobc, case).check(), chosen))
    failed = [run for run in runs if run.problems]
    for run in failed:
        print(run.case.name, *run.problems, sep="\n  ")
    print(f"{len(runs) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
