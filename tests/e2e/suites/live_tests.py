# SPDX-License-Identifier: Apache-2.0

"""submit --replace and --wait, with the test in the place of controllers."""

import json
import os
import pty
import subprocess
import threading
import time

from support import HAS_TRAINER, EndToEnd

RUNNING = {"replicatedJobsStatus": [dict(name="node", ready=1, active=1, succeeded=0, failed=0, suspended=0)]}


def ended(kind, message):
    condition = {
        "type": kind,
        "status": "True",
        "reason": kind,
        "message": message,
        "lastTransitionTime": "2026-01-02T03:04:05Z",
    }
    return {"conditions": [condition], "restarts": 0}


class Replace(EndToEnd):
    def collect_garbage(self, name):
        """What the garbage collector does with an object whose dependents are gone."""
        for _ in range(600):
            live = json.loads(self.kubectl("get", "jobset", name, "-o", "json", "--ignore-not-found") or "{}")
            if live.get("metadata", {}).get("deletionTimestamp"):
                self.kubectl("patch", "jobset", name, "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
                return
            time.sleep(0.1)

    def test_replace(self):
        self.write_job("demo")
        self.submit()
        before = self.live("jobset", "demo")["metadata"]["uid"]
        self.set_status("demo", {**RUNNING, "restarts": 3})
        self.write_job("demo", nodes=4)
        lost = (
            "  JobSet NS/demo: running, created TIME; node 1/1 ready\n"
            "    its Jobs and Pods, their logs, and everything that their containers wrote, except to persistent volumes\n"
            "    its restart count, 3 so far\n"
        )
        self.expect(
            self.submit(),
            1,
            "",
            "JobSet NS/demo\n"
            "! spec.replicatedJobs[node].template.spec.parallelism   2 → 4   trainer/pod-count from job.yaml:6\n"
            "! …completions                                          2 → 4   trainer/pod-count from the same\n"
            "  ! refused (2 fields): spec.replicatedJobs is immutable\n"
            "    delete the JobSet and let it be recreated (kubectl delete jobset demo -n NS), or rename the TrainJob\n"
            "\n"
            "trainjobc: nothing was sent: the cluster would refuse to update 1 object; --replace deletes and "
            "recreates it, which loses:\n" + lost,
        )
        collector = threading.Thread(target=self.collect_garbage, args=("demo",))
        collector.start()
        self.addCleanup(collector.join)
        self.expect(
            self.submit("job.yaml", "runtime.yaml", "--replace"),
            0,
            "JobSet NS/demo replaced\n1 job: 1 replaced\n",
            "warning: --replace deletes and recreates objects; this is lost:\n" + lost,
        )
        after = self.live("jobset", "demo")
        self.assertNotEqual(before, after["metadata"]["uid"])
        self.assertEqual(4, after["spec"]["replicatedJobs"][0]["template"]["spec"]["parallelism"])
        self.expect(self.diff(), 0, "no difference in 1 job\n")

    def test_replace_by_what_is_refused(self):
        self.write_job("demo")
        self.submit()
        before = self.live("jobset", "demo")
        self.refuse("demo")
        self.write_job("demo", nodes=4)
        self.expect(
            self.submit("job.yaml", "runtime.yaml", "--replace"),
            2,
            "1 job: 1 not applied\n",
            "warning: --replace deletes and recreates objects; this is lost:\n"
            "  JobSet NS/demo: not started, created TIME\n"
            "    its Jobs and Pods, their logs, and everything that their containers wrote, except to persistent volumes\n"
            "trainjobc: the API server refused it\n"
            "  kubectl create --field-manager=trainjobc --dry-run=server -f - --namespace=NS: exit status 1\n"
            '  The jobsets "demo" is invalid: : ValidatingAdmissionPolicy \'NS-no-demo\' with binding \'NS-no-demo\' '
            "denied request: not that name\n"
            "not applied:\n  JobSet NS/demo\n",
        )
        self.assertEqual(before, self.live("jobset", "demo"))

    def test_immutable_config_map(self):
        self.write_job("demo", "mpi")
        self.submit()
        self.kubectl("patch", "configmap", "demo-mpi-hostfile", "--type=merge", "-p", '{"immutable":true}')
        self.write_job("demo", "mpi", nodes=1)
        status, out, err = self.submit()
        self.assertEqual((1, ""), (status, out))
        self.assertIn("! refused (1 field): the ConfigMap is immutable\n", err)
        self.assertIn(f"  ConfigMap {self.namespace}/demo-mpi-hostfile\n    its contents;", err)


class Wait(EndToEnd):
    def play(self, *statuses):
        """What the JobSet controller does, one status after the other."""

        def run():
            for _ in range(600):
                if self.kubectl("get", "jobset", "demo", "-o", "name", "--ignore-not-found"):
                    break
                time.sleep(0.1)
            for status in statuses:
                time.sleep(5)  # longer than between two polls
                self.set_status("demo", status)

        controller = threading.Thread(target=run)
        controller.start()
        self.addCleanup(controller.join)

    def test_completes(self):
        self.write_job("demo")
        self.play({**RUNNING, "restarts": 0}, ended("Completed", "jobset completed successfully"))
        self.expect(
            self.submit("job.yaml", "runtime.yaml", "--wait", "--timeout=2m"),
            0,
            "JobSet NS/demo created\n1 job: 1 created\nJobSet NS/demo completed\n",
            "ELAPSED  JobSet NS/demo: running, Jobs: node 1/1 ready\n",
        )

    def test_fails(self):
        self.write_job("demo")
        self.play(ended("Failed", "jobset failed due to one or more job failures"))
        self.expect(
            self.submit("job.yaml", "runtime.yaml", "--wait"),
            1,
            "JobSet NS/demo created\n1 job: 1 created\n"
            "JobSet NS/demo failed: jobset failed due to one or more job failures\n",
        )

    def test_time_runs_out(self):
        self.write_job("demo")
        self.expect(
            self.submit("job.yaml", "runtime.yaml", "--wait", "--timeout=3s"),
            2,
            "JobSet NS/demo created\n1 job: 1 created\n",
            "trainjobc: 1 of 1 JobSets had not finished after 3 s; they continue to run\n",
        )

    def test_progress_on_a_terminal(self):
        self.write_job("demo")
        self.play({**RUNNING, "restarts": 0}, ended("Completed", ""))
        ours, theirs = pty.openpty()
        words = ["--no-config", "--no-catalogue", "--wait", f"--namespace={self.namespace}", "job.yaml", "runtime.yaml"]
        process = subprocess.Popen(
            [self.program, "submit", "--trainer-version=2.3", *words],
            cwd=self.folder,
            env={**self.cluster.environment(), "TERM": "xterm"},
            stdout=subprocess.PIPE,
            stderr=theirs,
            text=True,
        )
        os.close(theirs)
        shown = ""
        while True:
            try:
                shown += os.read(ours, 4096).decode()
            except OSError:  # its end
                break
        os.close(ours)
        out = process.stdout.read()
        process.stdout.close()
        self.assertEqual(0, process.wait())
        self.assertEqual(
            "JobSet NS/demo created\n1 job: 1 created\nJobSet NS/demo completed\n".replace("NS", self.namespace), out
        )
        # A busy machine may be at its second second by then.
        shown = shown.replace("\r\n", "\n").removeprefix(HAS_TRAINER)
        self.assertRegex(shown, rf"^\r\033\[K0:0\d  JobSet {self.namespace}/demo: not started")
        self.assertIn(f"JobSet {self.namespace}/demo: running, Jobs: node 1/1 ready", shown)
        self.assertTrue(shown.endswith("\r\033[K"))
