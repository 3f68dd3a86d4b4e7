# SPDX-License-Identifier: Apache-2.0

"""TrainJobs and submitted JobSets that Kueue queues: a queue with room for two pods of one CPU each."""

import json
import time

from installation import RUNS_ON
from support import EndToEnd

QUEUE = "kueue.x-k8s.io/queue-name"
PRIORITY = "kueue.x-k8s.io/priority-class"
API = "kueue.x-k8s.io/v1beta2"
SECONDS = 60


def queue_objects(name):
    """Its own ClusterQueue for each namespace, and priorities."""
    flavor = {"name": name, "resources": [{"name": "cpu", "nominalQuota": 2}]}
    specs = {
        "ResourceFlavor": {"nodeLabels": {"type": "kwok"}},  # which become node selectors
        "ClusterQueue": {
            "namespaceSelector": {},
            "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [flavor]}],
            "preemption": {"withinClusterQueue": "LowerPriority"},
        },
        "LocalQueue": {"clusterQueue": name},
    }
    for kind, spec in specs.items():
        yield {"apiVersion": API, "kind": kind, "metadata": {"name": name}, "spec": spec}
    priority = {"apiVersion": API, "kind": "WorkloadPriorityClass", "metadata": {"name": name}, "value": 1000}
    yield {**priority, "description": "above those without one"}


def runtime(name, labels, completes):
    """Of JobSets with these labels."""
    container = {"name": "node", "image": "example/train:1", "resources": {"requests": {"cpu": 1}}}
    pods = {"spec": {"containers": [container]}}
    if not completes:
        pods["metadata"] = {"annotations": {RUNS_ON: "true"}}
    job = {
        "name": "node",
        "template": {
            "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
            "spec": {"template": pods},
        },
    }
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": name},
        "spec": {
            "mlPolicy": {"numNodes": 2},
            "template": {"metadata": {"labels": labels}, "spec": {"replicatedJobs": [job]}},
        },
    }


def train_job(name, runtime_name, labels):
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": name, "labels": labels},
        "spec": {"runtimeRef": {"name": runtime_name}},
    }


class Kueue(EndToEnd):
    def setUp(self):
        super().setUp()
        self.create(*queue_objects(self.namespace))

    def create(self, *objects):
        as_list = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
        self.kubectl("create", "-f", "-", stdin=json.dumps(as_list))

    def write_case(self, name, labels=None, job_labels=None, completes=False):
        """Files NAME-runtime.json and NAME.json; their paths."""
        called = f"{self.namespace}-{name}"
        self.write(f"{name}-runtime.json", json.dumps(runtime(called, labels or {}, completes)))
        self.write(f"{name}.json", json.dumps(train_job(name, called, job_labels or {})))
        return f"{name}.json", f"{name}-runtime.json"

    def make_train_job(self, name, **labels):
        files = self.write_case(name, **labels)
        self.kubectl("create", "-f", f"{self.folder}/{files[1]}")
        self.create_when_known(files[0])
        return files

    def wait_for(self, what, is_so):
        deadline = time.monotonic() + SECONDS
        while not is_so():
            if time.monotonic() > deadline:
                self.fail(f"not seen: {what}\n{self.kubectl('get', 'workloads,jobsets,jobs,pods', check=False)}")
            time.sleep(0.3)

    def is_suspended(self, kind, name):
        return self.live(kind, name)["spec"].get("suspend", False)

    def is_running(self, name):
        status = self.live("jobset", name).get("status", {}).get("replicatedJobsStatus", [])
        return not self.is_suspended("jobset", name) and any(job["ready"] for job in status)

    def no_quota(self, name):
        """Does its Workload say so?"""
        items = json.loads(self.kubectl("get", "workloads", "-o", "json"))["items"]
        [workload] = [one for one in items if one["metadata"]["ownerReferences"][0]["name"] == name]
        conditions = workload.get("status", {}).get("conditions", [])
        return any("insufficient unused quota" in condition["message"] for condition in conditions)

    def expect_unchanged(self, name, files):
        """Kueue or its webhook, which makes submit the owner, may have suspended it."""
        status, out, err = self.submit(*files)
        self.expect((status, out, ""), 0, f"JobSet NS/{name} unchanged\n1 job: 1 unchanged\n")
        self.assertRegex(err, r"\A(note: spec\.suspend, owned by [Kk]ueue, is left unchanged in JobSet \S+\n)?\Z")

    def expect_no_difference(self, files):
        for flags in ((), ("--server-side",)):
            with self.subTest(flags=flags):
                self.expect(self.run_program("diff", *files, *flags), 0, "no difference in 1 job\n")

    def expect_waiting(self, files):
        """What submit --wait says of a JobSet that there is no quota for."""
        status, out, err = self.submit(*files, "--wait", "--timeout=12s")
        self.expect((status, out, ""), 2, "JobSet NS/second unchanged\n1 job: 1 unchanged\n")
        reason = (
            "JobSet NS/second: suspended until Kueue admits it from the queue NS\n"
            "JobSet NS/second: waits for Kueue: couldn't assign flavors to pod set node: insufficient unused quota for "
            "cpu in flavor NS, 2 more needed\n"
        )
        lines = [line for line in err.splitlines(keepends=True) if not line.startswith(("ELAPSED", "note: spec.suspend"))]
        end = "trainjobc: 1 of 1 JobSets had not finished after 12 s; they continue to run\n"
        self.assertEqual((reason + end).replace("NS", self.namespace), "".join(lines))

    def test_label_of_a_train_job(self):
        """It queues the TrainJob; a JobSet made of it by submit knows nothing of it, and runs at once."""
        files = self.write_case("demo", job_labels={QUEUE: self.namespace})
        note = (
            'note: JobSet NS/demo is not queued: its TrainJob names the Kueue queue "NS", but the labels of a TrainJob '
            f"don't reach its JobSet; set {QUEUE} in spec.template.metadata.labels of the runtime\n"
        )
        self.expect(self.submit(*files), 0, "JobSet NS/demo created\n1 job: 1 created\n", note)
        self.wait_for("it runs", lambda: self.is_running("demo"))
        self.assertEqual("", self.kubectl("get", "workloads", "-o", "name"))

    def test_submitted(self):
        labels = {QUEUE: self.namespace}
        first = self.write_case("first", labels)
        second = self.write_case("second", labels, completes=True)
        created = "JobSet NS/{0} created\n1 job: 1 created\n"
        self.expect(self.submit(*first), 0, created.format("first"))
        self.wait_for("the first runs", lambda: self.is_running("first"))
        self.expect(self.submit(*second), 0, created.format("second"))
        self.wait_for("the second has no quota", lambda: self.no_quota("second"))
        self.assertTrue(self.is_suspended("jobset", "second"))
        self.expect_waiting(second)
        for name, files in (("first", first), ("second", second)):
            self.expect_no_difference(files)
            self.expect_unchanged(name, files)
        self.assertTrue(self.is_suspended("jobset", "second"))
        self.assertTrue(self.is_running("first"))
        self.kubectl("delete", "jobset", "first")
        self.wait_for("the second is resumed", lambda: not self.is_suspended("jobset", "second"))
        self.kubectl("wait", "--for=condition=Completed", "jobset/second", f"--timeout={SECONDS}s")
        self.expect_no_difference(second)
        self.expect_unchanged("second", second)

    def test_preempted(self):
        low = self.write_case("low", {QUEUE: self.namespace})
        high = self.write_case("high", {QUEUE: self.namespace, PRIORITY: self.namespace})
        self.submit(*low)
        self.wait_for("the first runs", lambda: self.is_running("low"))
        self.submit(*high)
        self.wait_for("it is preempted", lambda: self.is_suspended("jobset", "low"))
        self.wait_for("the other runs", lambda: self.is_running("high"))
        for name, files in (("low", low), ("high", high)):
            self.expect_no_difference(files)
            self.expect_unchanged(name, files)
        self.kubectl("delete", "jobset", "high")
        self.wait_for("it runs again", lambda: self.is_running("low"))
        self.expect_no_difference(low)

    def test_train_jobs(self):
        labels = {QUEUE: self.namespace}
        first = self.make_train_job("first", job_labels=labels)
        self.wait_for("the first is admitted", lambda: not self.is_suspended("trainjob", "first"))
        self.wait_for("it runs", lambda: self.is_running("first"))
        second = self.make_train_job("second", job_labels=labels, completes=True)
        self.wait_for("the second has no quota", lambda: self.no_quota("second"))
        self.assertTrue(self.is_suspended("trainjob", "second"))
        self.kubectl("wait", "--for=create", "jobset/second", f"--timeout={SECONDS}s")
        for files in (first, second):
            self.expect_no_difference(files)
        self.kubectl("delete", "trainjob", "first")
        self.wait_for("the second is resumed", lambda: not self.is_suspended("trainjob", "second"))
        self.kubectl("wait", "--for=condition=Completed", "jobset/second", f"--timeout={SECONDS}s")
        self.expect_no_difference(second)

    def test_preempted_train_job(self):
        low = self.make_train_job("low", job_labels={QUEUE: self.namespace})
        self.wait_for("the first runs", lambda: self.is_running("low"))
        high = self.make_train_job("high", job_labels={QUEUE: self.namespace, PRIORITY: self.namespace})
        self.wait_for("it is preempted", lambda: self.is_suspended("jobset", "low"))
        self.wait_for("the other runs", lambda: self.is_running("high"))
        for files in (low, high):
            self.expect_no_difference(files)
        self.kubectl("delete", "trainjob", "high")
        self.wait_for("it runs again", lambda: self.is_running("low"))
        self.expect_no_difference(low)
