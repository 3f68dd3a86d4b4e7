# SPDX-License-Identifier: Apache-2.0

"""Compares what trainjobc says about a case with what the control plane did with it."""

import collections
import dataclasses
import json
import os
import re
import subprocess

from cases import case as inputs
from comparison import known
from comparison.content import content, differences, key, short
from comparison.live_round import is_of_pod_group, namespace_of, owner
from comparison.verdicts import fields_in

CATEGORIES = ("objects", "verdicts", "fields", "warnings", "jobs", "job fields", "pods", "resources", "diff", "diff --server-side")
QUEUE = "kueue.x-k8s.io/queue-name"
REFUSALS = ("is invalid", "denied", "forbidden")
COMMON = ["--no-config", "--no-catalogue", "--threads=1", f"--namespace={inputs.NAMESPACE}"]


@dataclasses.dataclass
class Difference:
    category: str
    case: str
    path: str  # of the input
    about: str
    live: str
    ours: str

    def __str__(self):
        rows = (f"{self.category}: {self.case}: {self.about}", f"live  {self.live}", f"ours  {self.ours}")
        return "\n  ".join((*rows, f"input {self.path}"))


class Report:
    def __init__(self):
        self.right = collections.Counter()
        self.all = collections.Counter()
        self.differences = []
        self.known = collections.Counter()  # by cause

    def check(self, category, right, *difference):
        self.all[category] += 1
        self.right[category] += bool(right)
        if right:
            return
        found = Difference(category, *difference)
        why = known.cause(found)
        if why:
            self.known[why] += 1
        else:
            self.differences.append(found)

    def table(self):
        rows = [
            f"{category:20}{self.right[category]:>7} of {self.all[category]}"
            for category in CATEGORIES
            if self.all[category]
        ]
        return "\n".join(rows + [f"known: {count} × {why}" for why, count in self.known.items()])


class Program:
    """trainjobc, with nothing but what it is given, for a Trainer and, if not its default, a Kubernetes."""

    def __init__(self, path, environment, trainer, kubernetes=""):
        self.path = path
        self.versions = [f"--trainer-version={trainer}"]
        self.versions += [f"--kubernetes-version={kubernetes}"] if kubernetes else []
        self.environment = environment

    def run(self, command, *words):
        done = subprocess.run(
            [self.path, command, *COMMON, *self.versions, *words],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    def lint(self, path):
        """Diagnostics by object; None if there are none to be had."""
        _, out, _ = self.run("lint", "--format=json", path)
        by_object = collections.defaultdict(list)
        for row in json.loads(out)["diagnostics"]:
            by_object[row.get("object")].append(row)
        return by_object

    def render(self, path):
        """What JobSet's admission would store, by kind, namespace and name."""
        _, out, _ = self.run("render", "--with-defaults", "--keep-going", "-o", "json", path)
        items = json.loads(out or "{}")
        items = items["items"] if items.get("kind") == "List" else [items] if items else []
        return {key(item): content(item) for item in items}

    def filled_in(self, path):
        """What LimitRanges give to pods: (JobSet, path in it) → value."""
        _, out, _ = self.run("explain", "--field=resources", "-o", "json", path)
        rows = json.loads(out)["fields"] if out else []
        return {(row["object"], row["path"]): row["value"] for row in rows if row["rule"] == "limit-range/default"}

    def diff(self, *words):
        """Differences, or what went wrong."""
        status, out, err = self.run("diff", "--format=json", *words)
        try:
            return json.loads(out)["differences"], ""
        except (json.JSONDecodeError, KeyError):
            return [], f"exit status {status}: {err.strip()}"


class RoundTrip:
    def __init__(self, program, report):
        self.program = program
        self.report = report

    def compare(self, live_round, case):
        diagnostics = self.program.lint(case.path)
        for item in case.runtimes():
            verdict = live_round.verdict(case, item)
            self._verdict(case, inputs.identity(item), verdict, verdict.allowed, verdict.fields, diagnostics)
        rendered = self.program.render(case.path) if case.jobs() else {}
        for item in case.jobs():
            self._job(live_round, case, item, diagnostics, rendered)

    def unreadable(self, case):
        findings = [row for rows in self.program.lint(case.path).values() for row in rows if row["severity"] == "error"]
        self.report.check("verdicts", findings, case.name, case.path, "the file", case.unreadable, "no finding")

    def _verdict(self, case, about, verdict, allowed, fields, diagnostics):
        errors = [
            row
            for row in diagnostics[about]
            if row["severity"] == "error" and row.get("stage") not in ("job", "advice")
        ]
        text = "accepted" if allowed else verdict.text
        ours = "; ".join(f"{row['rule']} {row.get('field')}: {row['message']}" for row in errors) or "accepted"
        check = self.report.check
        check("verdicts", allowed == (not errors), case.name, case.path, about, text, ours)
        reported = {row.get("field") for row in errors}
        for field in fields if errors else ():
            check("fields", field in reported, case.name, case.path, f"{about} {field}", text, ours)
        for warning in verdict.warnings if allowed else ():
            given = [row["message"] for row in diagnostics[about] if row["severity"] == "warning"]
            check("warnings", given, case.name, case.path, about, warning, "no warning")

    def _runtime_was_refused(self, live_round, case, item):
        wanted = inputs.runtime_name(item)
        return any(
            not live_round.verdict(case, one).allowed for one in case.runtimes() if one["metadata"]["name"] == wanted
        )

    def _job(self, live_round, case, item, diagnostics, rendered):
        about = inputs.identity(item)
        verdict = live_round.verdict(case, item)
        live = self._live_job(live_round, item)
        if not verdict.allowed and self._runtime_was_refused(live_round, case, item):
            return  # a consequence
        if live and any(map(is_of_pod_group, live.trainer_errors)):
            self._without_pod_group(case, about, live, diagnostics[about])
            return
        allowed, fields = verdict.allowed, verdict.fields
        if live and live.is_refused():
            allowed = False
            verdict.text = "; ".join(live.trainer_errors)
            fields = [field for text in live.trainer_errors for field in fields_in(text)]
        self._verdict(case, about, verdict, allowed, fields, diagnostics)
        if live and live.is_complete():
            self._objects(case, about, live, rendered)
            self._jobs(case, about, live, diagnostics[about])
            if case.surroundings():
                self._resources(case, about, live)
        elif live and allowed:
            self._without_job_set(case, item, live, rendered)

    def _without_pod_group(self, case, about, live, rows):
        """Whether the JobSet is made before Trainer fails is random."""
        warned = any(row["rule"] == "advice/pod-group-empty" for row in rows)
        errors = "; ".join(live.trainer_errors)
        self.report.check("warnings", warned, case.name, case.path, about, errors, "no warning")

    def _without_job_set(self, case, item, live, rendered):
        name = inputs.identity(item).split("/", 1)[1]
        mine = sorted("/".join(where) for where in rendered if belongs(where, name, live))
        about = f"TrainJob/{name} managed by {item['spec'].get('managedBy', 'Trainer')}"
        self.report.check("objects", not mine, case.name, case.path, about, "no JobSet was made", ", ".join(mine))

    def _objects(self, case, about, live, rendered):
        name = about.split("/", 1)[1]
        mine = {where: item for where, item in rendered.items() if belongs(where, name, live)}
        theirs = {key(item): content(item) for item in live.objects if not is_snapshot(item)}
        found = [
            (f"{where[0]}/{where[1]}/{where[2]} {path}", one, other)
            for where in sorted({*mine, *theirs})
            for path, one, other in object_differences(where, without_queue(theirs.get(where), mine.get(where)), mine.get(where))
        ]
        live_text, ours_text = (short(found[0][1]), short(found[0][2])) if found else ("", "")
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        first = found[0][0] if found else about
        self.report.check("objects", not found, case.name, case.path, first + more, live_text, ours_text)

    def _jobs(self, case, about, live, rows):
        waiting = waiting_jobs(live)
        errors = [
            row
            for row in rows
            if row.get("stage") == "job" and row["severity"] == "error" and replicated_job(row) not in waiting
        ]
        ours = "; ".join(f"{row['rule']} {row.get('field')}: {row['message']}" for row in errors) or "accepted"
        refused = [text for text in live.jobset_errors if any(mark in text for mark in REFUSALS)]
        refused_pods = sorted(text for texts in live.pod_errors.values() for text in texts)
        text = "; ".join(refused + refused_pods) or "; ".join(live.jobset_errors) or self._accepted(live)
        check = self.report.check
        stuck = bool(live.jobset_errors or refused_pods)
        check("jobs", stuck == bool(errors), case.name, case.path, about, text, ours)
        reported = {row.get("field") for row in errors}
        for field in sorted({field for text in refused for field in job_fields(text, live)}) if errors else ():
            check("job fields", field in reported, case.name, case.path, f"{about} {field}", text, ours)
        if live.jobs:
            check("pods", not refused_pods or errors, case.name, case.path, about, text, ours)

    def _resources(self, case, about, live):
        """Of the containers of each Job's first pod, which a LimitRange may have changed; of several, the API server asks in no
        order that it documents."""
        if sum(one["kind"] == "LimitRange" for one in case.surroundings()) > 1:
            return
        job_set = live.job_set()["metadata"]
        filled_in = self.program.filled_in(case.path) if live.pods else {}
        replicated_jobs = [one["name"] for one in live.job_set()["spec"]["replicatedJobs"]]
        for pod in first_pods(live.pods):
            index = replicated_jobs.index(pod["metadata"]["labels"]["jobset.sigs.k8s.io/replicatedjob-name"])
            job = next(one for one in live.jobs if one["metadata"]["name"] == owner(pod, "Job"))
            start = f"spec.replicatedJobs[{index}].template.spec.template.spec."
            given = {
                path.removeprefix(start): value
                for (where, path), value in filled_in.items()
                if where == f"JobSet/{namespace_of(live.job_set())}/{job_set['name']}" and path.startswith(start)
            }
            theirs = resources_of(pod["spec"], {})
            ours = resources_of(job["spec"]["template"]["spec"], given)
            self.report.check("resources", theirs == ours, case.name, case.path, f"{about} {index}", str(theirs), str(ours))

    @staticmethod
    def _accepted(live):
        missing = live.expected_jobs() - {job["metadata"]["name"] for job in live.jobs}
        suspended = "accepted, suspended" if live.job_set()["spec"].get("suspend") else "accepted"
        return f"{suspended}; not made: {', '.join(sorted(missing))}" if missing else suspended

    def diff(self, folder, name, live_round, *flags):
        """All cases of a round at once, or in halves down to single ones if that fails."""
        cases = [case for case in live_round.cases if any(self._is_complete(live_round, item) for item in case.jobs())]
        if cases:
            self._diff_in_parts(folder, name, cases, live_round, flags)

    def _diff_in_parts(self, folder, name, cases, live_round, flags):
        if self._diff(folder, name, cases, live_round, flags, is_last=len(cases) == 1):
            return
        middle = len(cases) // 2
        for part, some in enumerate((cases[:middle], cases[middle:])):
            self._diff_in_parts(folder, f"{name}-{part}", some, live_round, flags)

    def _diff(self, folder, name, cases, live_round, flags, is_last):
        """Of what Trainer made JobSets of; False if there is no answer and it isn't the last try."""
        items = [item for case in cases for item in case.runtimes() if live_round.verdict(case, item).allowed]
        jobs = [
            with_live_uid(item, self._live_job(live_round, item))
            for case in cases
            for item in case.jobs()
            if self._is_complete(live_round, item)
        ]
        category = " ".join(["diff", *flags])
        case = inputs.write(os.path.join(folder, "rounds"), name, items + jobs)
        found, problem = self.program.diff(*flags, case.path)
        if problem:
            if is_last:
                self.report.check(category, False, name, case.path, "the run", "", problem)
            return is_last
        by_object = collections.defaultdict(list)
        for row in found:
            by_object[row["object"]].append(row)
        for item in jobs:
            for made in self._live_job(live_round, item).objects:
                if not is_snapshot(made):
                    self._diff_of_object(category, case, "/".join(key(made)), by_object)
        for about, rows in by_object.items():
            self.report.check(category, False, name, case.path, about, "", short(rows[0]))
        return True

    def _diff_of_object(self, category, case, about, by_object):
        rows = [row for row in by_object.pop(about, []) if not is_script(about, row["path"])]
        first = rows[0] if rows else {}
        found = f"{about} {first.get('path')} ({first.get('kind')}), {len(rows)} in all"
        texts = short(first.get("live")), short(first.get("rendered"))
        self.report.check(category, not rows, case.name, case.path, found, *texts)

    @staticmethod
    def _live_job(live_round, item):
        return live_round.live.get((namespace_of(item), item["metadata"]["name"]))

    def _is_complete(self, live_round, item):
        live = self._live_job(live_round, item)
        return bool(live and live.is_complete())


def with_live_uid(item, live):
    """A TrainJob that was exported from a cluster has its uid, of which a Flux job's certificate is computed."""
    if "uid" not in item["metadata"]:
        return item
    references = live.job_set()["metadata"]["ownerReferences"]
    return {**item, "metadata": {**item["metadata"], "uid": references[0]["uid"]}}


def first_pods(pods):
    """One of each Job."""
    by_job = {owner(pod, "Job"): pod for pod in sorted(pods, key=lambda pod: pod["metadata"]["name"], reverse=True)}
    return [by_job[name] for name in sorted(by_job)]


def resources_of(spec, filled_in):
    """Path in a pod's spec → amount. Requests that are missing are those of limits, before LimitRanges fill in theirs."""
    found = {}
    for kind in ("initContainers", "containers"):
        for index, container in enumerate(spec.get(kind, [])):
            resources = container.get("resources", {})
            limits = resources.get("limits", {})
            for field, amounts in (("limits", limits), ("requests", {**limits, **resources.get("requests", {})})):
                for name, amount in amounts.items():
                    found[f"{kind}[{index}].resources.{field}.{name}"] = amount
    return {**found, **{path.replace("[nvidia.com/gpu]", ".nvidia.com/gpu"): value for path, value in filled_in.items()}}


def replicated_job(row):
    """The index that a finding's field names, if it does."""
    found = re.match(r"spec\.replicatedJobs\[(\d+)\]", row.get("field") or "")
    return int(found.group(1)) if found else None


def waiting_jobs(live):
    """Indices of the replicatedJobs that the controller keeps back until others are ready or complete, which they may
    never be here: nothing is known of their Jobs."""
    spec = live.job_set()["spec"]
    in_order = spec.get("startupPolicy", {}).get("startupPolicyOrder") == "InOrder"
    made = {job["metadata"]["name"] for job in live.jobs}
    prefix = live.job_set()["metadata"]["name"]
    waiting = set()
    for index, replicated in enumerate(spec.get("replicatedJobs", [])):
        depends = index > 0 and (in_order or replicated.get("dependsOn"))
        if depends and not live.jobset_errors and f"{prefix}-{replicated['name']}-0" not in made:
            waiting.add(index)
    return waiting


def is_snapshot(item):
    """Trainer keeps a copy of the runtime for itself, which trainjobc doesn't render."""
    return item["kind"] == "ConfigMap" and item["metadata"]["name"].endswith("-runtime-snapshot")


def is_script(about, path):
    """Flux's scripts are Trainer's own code, and their texts not the same."""
    return about.startswith("ConfigMap") and path.endswith(".sh]")


def belongs(where, name, live):
    """Is it an object of that TrainJob, named like it?"""
    namespace, job = name.split("/")
    _, at, called = where
    if at != namespace or not called.startswith(job):
        return False
    return called == job or where in {key(item) for item in live.objects} or called[len(job) :].startswith("-")


def without_queue(live, ours):
    """Kueue (since 0.17) labels the JobSet of a TrainJob that it queues, and suspends both."""
    labels = live["metadata"].get("labels", {}) if live and ours else {}
    if QUEUE not in labels or QUEUE in ours["metadata"].get("labels", {}):
        return live
    labels = {name: value for name, value in labels.items() if name != QUEUE}
    metadata = {name: value for name, value in live["metadata"].items() if name != "labels"}
    metadata = {**metadata, "labels": labels} if labels else metadata
    return {**live, "metadata": metadata, "spec": {**live["spec"], "suspend": ours["spec"].get("suspend")}}


def object_differences(where, live, ours):
    if live is None or ours is None:
        yield "", "missing" if live is None else "there", "missing" if ours is None else "there"
        return
    for path, one, other in differences(live, ours):
        if not (is_script(where[0], path) and one and other):
            yield path, one, other


def job_fields(text, live):
    """The API server's fields of a Job, as paths in the JobSet."""
    job_set = live.job_set()
    for index, replicated in enumerate(job_set["spec"].get("replicatedJobs", [])):
        name = f"{job_set['metadata']['name']}-{replicated['name']}-"
        if f'"{name}' in text:
            for field in fields_in(text):
                yield f"spec.replicatedJobs[{index}].template.{field}"
