# SPDX-License-Identifier: Apache-2.0

"""Could Kueue ever admit a job? What `plan --quota` says of each case of cases/quotas.py, and what Kueue does with it.
TRAINJOBC_UPDATE_GOLDEN=1 writes what Kueue did to tests/kueue/verdicts.json, which tests/kueue/kueue_verdicts_test.py compares
with plan where there is no Kueue."""

import json
import os
import sys
import time

from cases import quotas
from programs import kueue_version
from support import EndToEnd

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../kueue")
RECORD = os.path.join(FOLDER, "verdicts.json")
sys.path.insert(0, FOLDER)

import verdicts  # noqa: E402

SECONDS = 240
QUIET = 8  # after which Kueue is believed to have said all


def conditions(workload):
    return {one["type"]: one for one in workload.get("status", {}).get("conditions", [])}


def assignments(workload):
    """{pod set: {resource: flavor}}"""
    admission = workload.get("status", {}).get("admission") or {}
    return {one["name"]: one.get("flavors", {}) for one in admission.get("podSetAssignments", [])}


def outcome(workload):
    """What is recorded; None as long as Kueue has not decided."""
    reserved = conditions(workload).get("QuotaReserved")
    if reserved is None:
        return None
    if reserved["status"] == "True":
        return {"verdict": "admitted", "flavors": assignments(workload)}
    return {"verdict": "never", "message": reserved["message"]}


class KueueVerdicts(EndToEnd):
    def create(self, objects, check=True):
        as_list = {"apiVersion": "v1", "kind": "List", "items": objects}
        return self.cluster.kubectl("create", "-f", "-", stdin=json.dumps(as_list), check=check)

    def workloads(self):
        """By namespace."""
        items = json.loads(self.cluster.kubectl("get", "workloads", "-A", "-o", "json"))["items"]
        return {one["metadata"]["namespace"]: one for one in items if one["metadata"]["namespace"] in quotas.CASES}

    def decided(self):
        """Waits until Kueue has said the same of all jobs for some time."""
        deadline = time.monotonic() + SECONDS
        before, since = None, time.monotonic()
        while time.monotonic() < deadline:
            now = {name: outcome(workload) for name, workload in self.workloads().items()}
            if now != before:
                before, since = now, time.monotonic()
            elif time.monotonic() - since > QUIET and None not in now.values():
                return now
            time.sleep(1)
        self.fail(f"Kueue has not decided: {[name for name, one in before.items() if one is None]}")

    def test_verdicts(self):
        made = {name: quotas.objects_of(name) for name in quotas.CASES}
        self.create([one for objects, _, _ in made.values() for one in objects])
        self.create([runtime for _, runtime, _ in made.values()])
        time.sleep(3)  # for the caches of the webhooks
        jobs = [job for _, _, job in made.values()]
        for _ in range(5):
            self.create(jobs, check=False)
        said = self.decided()
        record = {}
        for name, (objects, runtime, job) in made.items():
            # Kueue can't make a Workload of a job that waits for it.
            nothing = {"verdict": "not queued"} if name in quotas.UNQUEUED else {"verdict": "never", "message": ""}
            seen = said.get(name, nothing)
            record[name] = {"quota": objects, "runtime": runtime, "job": job, **seen}
        if os.environ.get("TRAINJOBC_UPDATE_GOLDEN"):
            with open(RECORD, "w", encoding="utf-8") as file:
                lines = [f"{json.dumps(name)}: {json.dumps(one)}" for name, one in record.items()]
                file.write("{\n" + ",\n".join(lines) + "\n}\n")
        problems = verdicts.compare(self.program, record, self.folder, kueue_version(self.cluster.kueue_module))
        print(f"{len(record)} cases, {len(problems)} differ", flush=True)
        self.assertEqual([], problems)
