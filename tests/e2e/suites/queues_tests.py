# SPDX-License-Identifier: Apache-2.0

"""Which of several jobs does Kueue admit? What `plan --quota` says of each case of cases/queues.py, and what Kueue does with
it. TRAINJOBC_UPDATE_GOLDEN=1 writes what Kueue did to tests/kueue/together.json, which tests/kueue/kueue_verdicts_test.py
compares with plan where there is no Kueue. TRAINJOBC_QUEUES=N,FIRST: N random cases from the number FIRST on."""

import json
import os
import sys
import time

from cases import queues
from programs import kueue_version
from support import EndToEnd

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../kueue")
RECORD = os.path.join(FOLDER, "together.json")
sys.path.insert(0, FOLDER)

import verdicts  # noqa: E402
from suites.quota_tests import assignments, conditions  # noqa: E402

SECONDS = 600
QUIET = 20  # after which Kueue is believed to have said all
TICK = 1.1  # Kueue compares times of creation by the second
RANDOM = 80


def outcome(workload):
    """What is recorded; None as long as Kueue has not decided."""
    reserved = conditions(workload).get("QuotaReserved")
    if reserved and reserved["status"] == "True":
        return {"flavors": assignments(workload)}
    return {"message": reserved["message"]} if reserved else {}


class KueueQueues(EndToEnd):
    def create(self, objects, check=True):
        as_list = {"apiVersion": "v1", "kind": "List", "items": objects}
        return self.cluster.kubectl("create", "-f", "-", stdin=json.dumps(as_list), check=check)

    def workloads(self):
        """By namespace and name of the job."""
        items = json.loads(self.cluster.kubectl("get", "workloads", "-A", "-o", "json"))["items"]
        owners = ((one["metadata"]["namespace"], one["metadata"]["ownerReferences"][0]["name"], one) for one in items)
        return {(namespace, job): one for namespace, job, one in owners if namespace in self.cases}

    def wait_until(self, what, is_true):
        deadline = time.monotonic() + SECONDS
        while not is_true():
            if time.monotonic() > deadline:
                self.fail(f"waited in vain: {what}")
            time.sleep(0.5)

    def create_jobs(self, made):
        """The first of each case, then the second of each, each later than those before."""
        expected = set()
        for index in range(max(len(jobs) for _, jobs in made.values())):
            wave = [jobs[index][1] for _, jobs in made.values() if index < len(jobs)]
            expected |= {(job["metadata"]["namespace"], job["metadata"]["name"]) for job in wave}
            for _ in range(3):  # for webhooks that don't know the runtime yet
                self.create(wave, check=False)
            self.wait_until("jobs have Workloads", lambda: expected <= self.workloads().keys())
            time.sleep(TICK)

    def decided(self):
        """Waits until Kueue has admitted the same jobs for some time. What it says of those at the head of a strict queue
        may change forever."""
        before, since, changed = {}, time.monotonic(), ()
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            said = {name: outcome(workload) for name, workload in self.workloads().items()}
            now = {name: one.get("flavors") for name, one in said.items()}
            if now != before:
                changed = [name for name in now if now[name] != before.get(name)]
                before, since = now, time.monotonic()
            elif time.monotonic() - since > QUIET:
                return said
            time.sleep(1)
        self.fail(f"Kueue has not decided: {changed}")

    def record_of(self, made, said):
        stored = json.loads(self.cluster.kubectl("get", "trainjobs", "-A", "-o", "json"))["items"]
        created = {(one["metadata"]["namespace"], one["metadata"]["name"]): one["metadata"]["creationTimestamp"] for one in stored}
        record = {}
        for name, (objects, jobs) in made.items():
            entries = []
            for runtime, job in jobs:
                key = (name, job["metadata"]["name"])
                if queues.is_named(self.cases[name]):
                    job["metadata"]["creationTimestamp"] = created[key]
                entries.append({"runtime": runtime, "job": job, "kueue": said[key]})
            record[name] = {"quota": objects, "jobs": entries, "starved": queues.STARVED.get(name, [])}
        return record

    def test_together(self):
        count, first = map(int, os.environ.get("TRAINJOBC_QUEUES", f"{RANDOM},0").split(","))
        self.cases = queues.cases(count, first)
        made = {name: queues.objects_of(name, one) for name, one in self.cases.items()}
        shared = queues.shared()
        self.create(shared)
        self.create([one for objects, _ in made.values() for one in objects])
        self.create([runtime for _, jobs in made.values() for runtime, _ in jobs])
        time.sleep(3)  # for the caches of the webhooks
        self.create_jobs(made)
        self.create([queues.gate()])
        said = self.decided()
        shared.append(queues.gate())
        record = self.record_of(made, said)
        if os.environ.get("TRAINJOBC_UPDATE_GOLDEN"):
            with open(RECORD, "w", encoding="utf-8") as file:
                lines = [f"{json.dumps(name)}: {json.dumps(one)}" for name, one in record.items()]
                shared_line = f'"shared": {json.dumps(shared)},\n'
                file.write("{" + shared_line + '"cases": {\n' + ",\n".join(lines) + "\n}}\n")
        version = kueue_version(self.cluster.kueue_module)
        problems = verdicts.compare_together(self.program, shared, record, self.folder, version)
        print(f"{len(record)} cases of {len(said)} jobs, {len(problems)} jobs differ", flush=True)
        self.assertEqual([], problems)
