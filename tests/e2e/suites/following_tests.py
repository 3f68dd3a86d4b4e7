# SPDX-License-Identifier: Apache-2.0

"""submit --wait on a control plane with the real controllers: what blocks a job, and how it ends."""

import json
import re
import signal
import subprocess

from support import HAS_TRAINER, RUNTIME, EndToEnd, job

LEFT = (
    "trainjobc: interrupted; this JobSet continues to run (stop a job with kubectl delete jobset):\n"
    "  JobSet NS/demo\n"
)
CREATED = "JobSet NS/demo created\n1 job: 1 created\n"


class Following(EndToEnd):
    def write_inputs(self, runtime=RUNTIME, resources="", more=""):
        self.write("runtime.yaml", runtime)
        text = job("demo", nodes=2, more=more)
        if resources:
            text = text.replace("{numNodes: 2}", f"{{numNodes: 2, resourcesPerNode: {resources}}}")
        self.write("job.yaml", text)

    def too_big(self):
        self.write_inputs(resources='{requests: {cpu: "99999"}}')

    def wait(self, *words, **named):
        return self.submit("job.yaml", "runtime.yaml", "--wait", *words, **named)

    def without_namespace(self, text):
        return text.replace(f" {self.namespace}/demo", " NS/demo").replace(
            f" of namespace {self.namespace}:", " of namespace NS:"
        )

    def reasons(self, err):
        """Standard error without progress, and without what is said of slow controllers, which a slow machine has;
        names of pods are made the same from run to run, and what the scheduler says is as Kubernetes 1.37 has it."""
        lines = self.without_namespace(err).splitlines(keepends=True)
        lines = [line for line in lines if not re.match(r"ELAPSED  JobSet |.*: no controller has picked it up", line)]
        text = "".join(lines).replace(" no new claims to deallocate, preemption:", " preemption:")
        return re.sub(r"(demo-node-\d-)\d-[a-z0-9]{5}", r"\1N-RANDOM", text)

    def until(self, mark, *words, times=1):
        """Status and standard error of a run that gets Ctrl-C after so many lines that hold the mark."""
        command = [self.program, "submit", "--no-config", f"--trainer-version={self.trainer_version}", "--no-catalogue", "--wait"]
        process = subprocess.Popen(
            [*command, f"--namespace={self.namespace}", *words, "job.yaml", "runtime.yaml"],
            cwd=self.folder,
            env=self.cluster.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        err = ""
        while err.count(mark) < times:
            line = process.stderr.readline()
            self.assertTrue(line, err)
            err += line
        process.send_signal(signal.SIGINT)
        err += process.stderr.read()
        return process.wait(), self.settled(err).removeprefix(HAS_TRAINER)

    def says(self, reason):
        """Nothing but this, of a job that never starts."""
        _, err = self.until(reason.removeprefix("JobSet NS").partition("demo-node")[0])
        self.assertEqual(reason + LEFT, self.reasons(err))

    def test_completes(self):
        self.write_inputs()
        status, out, err = self.wait("--timeout=5m")
        self.assertEqual((0, CREATED + "JobSet NS/demo completed\n"), (status, self.without_namespace(out)), err)
        self.assertEqual("", self.reasons(err))

    def test_progress(self):
        self.too_big()  # a job that runs may end between two polls
        _, err = self.until(": running, ")
        self.assertRegex(err, rf"(?m)^ELAPSED  JobSet {self.namespace}/demo: running, ")

    def test_completes_and_is_deleted_at_once(self):
        runtime = RUNTIME.replace("      replicatedJobs:", "      ttlSecondsAfterFinished: 0\n      replicatedJobs:")
        self.write_inputs(runtime)
        status, out, err = self.wait("--timeout=5m")
        self.assertEqual((0, CREATED + "JobSet NS/demo completed\n"), (status, self.without_namespace(out)), err)

    def test_unschedulable(self):
        self.too_big()
        reason = (
            "JobSet NS/demo: pod demo-node-0-N-RANDOM is unschedulable: 0/4 nodes are available: 4 Insufficient cpu. "
            "preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.\n"
        )
        self.says(reason)

    def test_pods_refused_by_quota(self):
        self.kubectl("create", "quota", "few", "--hard=pods=0")
        self.write_inputs()
        words = "exceeded quota: few, requested: pods=1, used: pods=0, limited: pods=0"
        self.says(f"JobSet NS/demo: pods of Job demo-node-0 are refused: {words}\n")

    def test_jobs_refused_by_quota(self):
        self.kubectl("create", "quota", "none", "--hard=count/jobs.batch=0")
        self.write_inputs()
        _, err = self.until("Jobs are refused")
        self.assertRegex(
            self.reasons(err),
            r'\AJobSet NS/demo: Jobs are refused: job "demo-node-0" creation failed with error: .*exceeded quota: none, '
            r"requested: count/jobs.batch=1, used: count/jobs.batch=0, limited: count/jobs.batch=0\ntrainjobc: interrupted",
        )

    def test_suspended(self):
        self.write_inputs(more="  suspend: true\n")
        self.says(
            "JobSet NS/demo: suspended: it can finish only after someone resumes it (spec.suspend: false)\n"
        )

    def allow(self, user, verbs, *resources):
        name = f"{user}-{verbs.replace(',', '-')}"
        self.kubectl("create", "role", name, f"--verb={verbs}", f"--resource={','.join(resources)}")
        self.kubectl("create", "rolebinding", name, f"--role={name}", f"--user={user}")

    def test_who_may_not_look_at_pods_and_events(self):
        self.allow("guest", "get,create,patch", "jobsets.jobset.x-k8s.io", "trainjobs.trainer.kubeflow.org")
        self.too_big()
        rest = "of namespace NS: what they report is not shown"
        _, err = self.until("what they report is not shown", "--context=guest", times=2)
        notes = self.reasons(err).removesuffix(LEFT)
        expected = [f"note: you are not allowed to list the {kind} {rest}" for kind in ("events", "pods")]
        self.assertEqual(expected, sorted(notes.splitlines()), err)

    def test_who_may_only_get_job_sets(self):
        self.allow("guest", "get,create,patch", "jobsets.jobset.x-k8s.io", "trainjobs.trainer.kubeflow.org")
        self.allow("guest", "list", "pods", "events")
        self.write_inputs()
        status, out, err = self.wait("--timeout=5m", "--context=guest")
        self.assertEqual((0, CREATED + "JobSet NS/demo completed\n"), (status, self.without_namespace(out)), err)
        self.assertEqual("", self.reasons(err))

    def test_interrupt(self):
        self.too_big()
        status, err = self.until("unschedulable: ")
        self.assertEqual(-signal.SIGINT, status)
        self.assertTrue(self.reasons(err).endswith("\n" + LEFT), err)
        self.assertNotIn("deletionTimestamp", self.live("jobset", "demo")["metadata"])
        self.assertEqual("", self.left_running())

    def test_cancel_on_interrupt(self):
        self.too_big()
        status, err = self.until("unschedulable: ", "--cancel-on-interrupt")
        self.assertEqual(-signal.SIGINT, status)
        self.assertTrue(self.reasons(err).endswith("trainjobc: interrupted; deleted:\n  JobSet NS/demo\n"), err)
        left = json.loads(self.kubectl("get", "jobset", "demo", "-o", "json", "--ignore-not-found") or "{}")
        self.assertTrue(not left or "deletionTimestamp" in left["metadata"], left)
        self.assertEqual("", self.left_running())

    def left_running(self):
        """The kubectl calls that still ask about this test's namespace."""
        done = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout.splitlines()
        return "\n".join(line for line in done if f"--namespace={self.namespace}" in line and "kubectl get" in line)
