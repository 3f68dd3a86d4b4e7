# SPDX-License-Identifier: Apache-2.0

"""Some cases at once on a control plane: apply, wait until nothing changes, read back, delete."""

import concurrent.futures
import dataclasses
import time

from comparison import verdicts
from cases.case import NAMESPACE, identity, runtime_name

MADE = ("JobSet", "Secret", "ConfigMap", "PodGroup", "VolcanoPodGroup")
QUIET_SECONDS = 6  # after which what hasn't come doesn't
ROUND_SECONDS = 120
LOOK_SECONDS = 2  # each look costs the API server the lists of all that there is
RETRIES = 40
VOLUMES = 70


def is_of_pod_group(error):
    return error.startswith("PodGroup.") or "podgroups." in error


@dataclasses.dataclass
class LiveJob:
    """What became of a TrainJob that the API server accepted."""

    objects: list = dataclasses.field(default_factory=list)  # made by Trainer
    jobs: list = dataclasses.field(default_factory=list)
    pods: list = dataclasses.field(default_factory=list)  # if the case has surroundings
    trainer_errors: list = dataclasses.field(default_factory=list)
    jobset_errors: list = dataclasses.field(default_factory=list)
    pod_errors: dict = dataclasses.field(default_factory=dict)  # name of the Job → texts

    def job_set(self):
        return next((item for item in self.objects if item["kind"] == "JobSet"), None)

    def expected_jobs(self):
        job_set = self.job_set()
        name = job_set["metadata"]["name"]
        return {
            f"{name}-{replicated['name']}-{index}"
            for replicated in job_set["spec"].get("replicatedJobs", [])
            for index in range(replicated.get("replicas", 1))
        }

    def is_refused(self):
        """Could Trainer not make all objects? It makes them in an order that is random, up to the one that fails."""
        return bool(self.trainer_errors) and (not self.job_set() or any(map(is_of_pod_group, self.trainer_errors)))

    def is_complete(self):
        return bool(self.job_set()) and not self.is_refused()

    def has_settled(self):
        if self.trainer_errors or self.jobset_errors:
            return True
        return bool(self.job_set()) and self.expected_jobs() <= {job["metadata"]["name"] for job in self.jobs}


def namespace_of(item):
    return item["metadata"].get("namespace") or NAMESPACE


def owner(item, kind):
    references = item["metadata"].get("ownerReferences", [])
    return next((one["name"] for one in references if one["kind"] == kind), None)


def texts_of(field, node):
    """What fields of that name say, however deep."""
    if isinstance(node, list):
        node = dict(enumerate(node))
    if not isinstance(node, dict):
        return
    for name, value in node.items():
        if name == field and isinstance(value, str):
            yield value
        else:
            yield from texts_of(field, value)


class Round:
    def __init__(self, plane, api, cases):
        self.plane = plane
        self.api = api
        self.cases = cases
        self.verdicts = {}  # (case, identity) → Verdict
        self.live = {}  # (namespace, name) of TrainJobs → LiveJob

    def run(self):
        self._make_namespaces()
        self._make_volumes()
        self._make_surroundings()
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(self._apply_runtimes, self.cases))
            list(pool.map(self._apply_jobs, self.cases))
        self._wait()
        return self

    def verdict(self, case, item):
        return self.verdicts[case.name, identity(item)]

    def _make_namespaces(self):
        """With what pods ask for there."""
        items = [item for case in self.cases for item in case.objects]
        named = {item["metadata"]["name"]: item for item in items if item["kind"] == "Namespace"}
        names = {namespace_of(item) for item in items}
        for name in names - {NAMESPACE}:
            self.api.create("Namespace", "", named.get(name, {"metadata": {"name": name}}))
        for account in set(texts_of("serviceAccountName", items)):
            for name in names:
                self.api.create("ServiceAccount", name, {"metadata": {"name": account}})
        for name in set(texts_of("priorityClassName", items)):
            self.api.create("PriorityClass", "", {"metadata": {"name": name}, "value": 1000})

    def _make_surroundings(self):
        """Returns when the API server counts and fills in what they say."""
        items = [item for case in self.cases for item in case.surroundings() if item["kind"] != "Namespace"]
        for item in items:
            status, answer, _ = self.api.create(item["kind"], namespace_of(item), item)
            if status >= 300:
                raise RuntimeError(f"{identity(item)}: {answer['message']}")
        deadline = time.monotonic() + ROUND_SECONDS
        while any("hard" not in one.get("status", {}) for one in self.api.list("ResourceQuota") if items):
            if time.monotonic() > deadline:
                raise RuntimeError("quotas are not counted")
            time.sleep(0.5)
        time.sleep(2 if items else 0)  # for the caches of the API server

    def _make_volumes(self):
        """Claims are bound to them; a volume that was bound once isn't again."""
        self.api.delete_all("PersistentVolume", "")
        modes = ["ReadWriteOnce", "ReadWriteMany", "ReadOnlyMany"]
        for _ in range(VOLUMES):
            spec = {"capacity": {"storage": "20Ti"}, "accessModes": modes, "hostPath": {"path": "/nowhere"}}
            self.api.create("PersistentVolume", "", {"metadata": {"generateName": "fake-"}, "spec": spec})

    def _create(self, case, item):
        kind = item["kind"]
        namespace = "" if kind == "ClusterTrainingRuntime" else namespace_of(item)
        verdict = None
        for _ in range(RETRIES):
            verdict = verdicts.of_answer(*self.api.create(kind, namespace, item))
            if not self._comes_too_early(case, item, verdict):
                break
            time.sleep(0.25)
        self.verdicts[case.name, identity(item)] = verdict

    def _comes_too_early(self, case, item, verdict):
        """Trainer's webhook reads a cache, which may not hold the runtime yet, or may still hold the last round's."""
        if "object is being deleted" in verdict.text or "already exists" in verdict.text:
            return True
        if verdicts.NOT_YET not in verdict.text:
            return False
        wanted = runtime_name(item)
        known = [one for one in case.runtimes() if one["metadata"]["name"] == wanted]
        return any(self.verdict(case, one).allowed for one in known)

    def _apply_runtimes(self, case):
        for item in case.runtimes():
            self._create(case, item)

    def _apply_jobs(self, case):
        for item in case.jobs():
            self._create(case, item)
            if self.verdict(case, item).allowed:
                self.live[namespace_of(item), item["metadata"]["name"]] = LiveJob()

    def _wait(self):
        began = moved = time.monotonic()
        before = None
        while not all(job.has_settled() for job in self.live.values()):
            time.sleep(LOOK_SECONDS)
            self._look()
            now = time.monotonic()
            count = sum(len(job.objects) + len(job.jobs) for job in self.live.values())
            if count != before:
                before, moved = count, now
            if now - moved > QUIET_SECONDS or now - began > ROUND_SECONDS:
                break
        time.sleep(1)  # for the pods of the last Jobs
        self._look()
        if any(case.surroundings() for case in self.cases):
            self._look_at_pods()

    def _look_at_pods(self):
        jobs = {(namespace_of(job), job["metadata"]["name"]): live for live in self.live.values() for job in live.jobs}
        for pod in self.api.list("Pod"):
            live = jobs.get((namespace_of(pod), owner(pod, "Job")))
            if live:
                live.pods.append(pod)

    def _look(self):
        for job in self.live.values():
            job.objects, job.jobs = [], []
        for kind in MADE:
            for item in self.api.list(kind):
                made_for = self.live.get((namespace_of(item), owner(item, "TrainJob")))
                if made_for:
                    made_for.objects.append(item)
        for item in self.api.list("Job"):
            made_for = self.live.get((namespace_of(item), owner(item, "JobSet")))
            if made_for:
                made_for.jobs.append(item)
        self._look_for_errors()

    def _look_for_errors(self):
        for program, attribute in (("trainer", "trainer_errors"), ("jobset", "jobset_errors")):
            for where, texts in verdicts.logged_errors(self.plane.new_log(program)).items():
                if where in self.live:
                    known = getattr(self.live[where], attribute)
                    known.extend(text for text in texts if text not in known)
        jobs = {(namespace_of(job), job["metadata"]["name"]): live for live in self.live.values() for job in live.jobs}
        for event in self.api.list("Event"):
            about = event["involvedObject"]
            live = jobs.get((about.get("namespace"), about.get("name")))
            text = event.get("message", "")
            if live and about["kind"] == "Job" and event.get("reason") == "FailedCreate" and verdicts.lasts(text):
                live.pod_errors.setdefault(about["name"], set()).add(text)

    def clean_up(self):
        """Returns when the names can be used again."""
        for case in self.cases:
            for item in case.jobs() + case.runtimes():
                if self.verdict(case, item).allowed:
                    namespace = "" if item["kind"] == "ClusterTrainingRuntime" else namespace_of(item)
                    self.api.delete(item["kind"], namespace, item["metadata"]["name"])
        namespaces = {namespace_of(item) for case in self.cases for item in case.objects}
        for namespace in namespaces:
            for kind in ("JobSet", "Job", "PersistentVolumeClaim", "Event"):
                self.api.delete_all(kind, namespace)
        deadline = time.monotonic() + 60
        while self._left() and time.monotonic() < deadline:
            time.sleep(1)

    def _left(self):
        """Whatever could meet the next round."""
        ours = ("TrainJob", "ClusterTrainingRuntime", "TrainingRuntime", "JobSet", "Job", "Pod")
        return any(self.api.list(kind) for kind in ours) or any(
            owner(item, "TrainJob") for kind in MADE for item in self.api.list(kind)
        )
