#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every command under SIGINT, SIGTERM, SIGHUP and SIGPIPE, and with programs that never end: it ends at once, as it should,
says what it has done, and leaves no process.

usage: signals_test.py TRAINJOBC
"""
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BINARY = ""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
JOB = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: NAME, namespace: a}
spec: {runtimeRef: {name: torch-distributed}, trainer: {image: 'r.example.com/t:1', command: [torchrun, t.py]}}
"""
OLD = JOB.replace("NAME", "old").replace("spec: {", "spec: {labels: {a: b}, ")
CHART = {
    "chart/Chart.yaml": "apiVersion: v2\nname: c\nversion: 0.1.0\n",
    "chart/templates/job.yaml": JOB.replace("NAME", "in-chart"),
}
# Starts a program of its own, says who both are, and never ends by itself.
ENDLESS = """#!/bin/sh
[ "$1" = version ] && { echo v5.8.0; exit; }
[ "$1" = rev-parse ] && { echo /; exit; }
sleep 300 &
echo "$$ $!" > "$PIDS.new"
mv "$PIDS.new" "$PIDS"
wait
"""
# Applies the first JobSet of two, says so, and hangs.
HALF = """#!/bin/sh
case "$1" in
get) [ "$5" = name ] || echo '{"apiVersion":"v1","kind":"List","items":[]}';;
apply) echo jobset.jobset.x-k8s.io/j1 serverside-applied; echo $$ > "$PIDS"; exec sleep 300;;
esac
"""
# Those that print, with what they print of.
PRINTING = [
    ["render", "jobs.yaml"], ["render", "-o", "json", "jobs.yaml"], ["render", "-o", "name", "jobs.yaml"],
    ["lint", "wrong.yaml"], ["lint", "--fix=all", "--diff", "fixable.yaml"],
    *(["lint", "--format", name, "wrong.yaml"] for name in ("json", "sarif", "junit", "github", "gitlab")),
    ["lint", "--list-rules"], ["lint", "--explain", "advice/image-tag"],
    ["explain", "jobs.yaml"], ["explain", "-o", "text", "jobs.yaml"], ["explain", "-o", "json", "jobs.yaml"],
    ["plan", "jobs.yaml"], ["plan", "-o", "json", "jobs.yaml"], ["plan", "-o", "markdown", "jobs.yaml"],
    ["graph", "jobs.yaml"], ["graph", "-o", "dot", "jobs.yaml"], ["compose", "job.yaml"],
    ["diff", "--from", "old.yaml", "job.yaml"], ["diff", "--from", "old.yaml", "-o", "json", "job.yaml"],
    ["migrate", "old.yaml"], ["function"], ["runtimes"], ["runtimes", "--show", "torch-distributed"],
    ["kustomize-config"], ["schema", "TrainJob"], ["completion", "bash"], ["version"], ["version", "-o", "json"],
    ["--help"], ["render", "--help"],
]
# Those that read standard input.
READING = [
    ["render", "-"], ["lint", "-"], ["lint", "--fix", "-"], ["explain", "-"], ["plan", "-"], ["graph", "-"], ["compose", "-"],
    ["diff", "--live", "-", "job.yaml"], ["submit", "-"], ["migrate", "-"], ["function"], ["lsp"],
]
# Those that run a program, and which.
RUNNING = [
    ("kubectl", ["diff", "job.yaml"]), ("kubectl", ["submit", "job.yaml"]), ("kubectl", ["plan", "--cluster", "job.yaml"]),
    ("kubectl", ["runtimes", "pull", "out"]), ("kustomize", ["lint", "-k", "root"]), ("kustomize", ["render", "-k", "root"]),
    ("helm", ["lint", "--helm", "chart"]), ("dot", ["graph", "-o", "svg", "job.yaml"]),
    ("git", ["diff", "--base", "HEAD", "job.yaml"]), ("git", ["lint", "--changed-since", "HEAD", "job.yaml"]),
]


def runs(pid):
    with contextlib.suppress(FileNotFoundError):
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False


class Signals(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()
        jobs = "---\n".join(JOB.replace("NAME", f"job-{i}") for i in range(100))
        files = {
            "job.yaml": JOB.replace("NAME", "one"),
            "jobs.yaml": jobs,
            "wrong.yaml": jobs.replace("r.example.com/t:1", "r.example.com/t:latest"),
            "fixable.yaml": jobs.replace("torch-distributed", "torch-distribute"),
            "old.yaml": OLD,
            "two.yaml": JOB.replace("NAME", "j1") + "---\n" + JOB.replace("NAME", "j2"),
            "root/kustomization.yaml": "resources: [job.yaml]\n",
            "root/job.yaml": JOB.replace("NAME", "in-root"),
            "function.yaml": "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n",
            **CHART,
        }
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.pids = self.folder / "pids"

    def program(self, name, script):
        path = self.folder / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(script)
        path.chmod(0o755)

    def start(self, words, **how):
        how = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how}
        variables = {**os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "PIDS": str(self.pids)}
        process = subprocess.Popen([BINARY, *words], cwd=self.folder, env=variables, text=True, **how)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait(self, condition, what):
        end = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), end, f"waited for {what} in vain")
            time.sleep(0.01)

    def test_nobody_reads_the_output(self):
        """It ends by SIGPIPE; where that is ignored, with an error."""
        for ignores in (False, True):
            for words in PRINTING:
                with self.subTest(words=words, ignores=ignores):
                    read, write = os.pipe()
                    os.close(read)
                    with open(self.folder / "function.yaml", encoding="utf-8") as given:
                        process = self.start(
                            words, stdin=given, stdout=write, restore_signals=not ignores,
                            preexec_fn=(lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN)) if ignores else None)
                    os.close(write)
                    said = process.communicate(timeout=120)[1]
                    if ignores:
                        self.assertEqual(2, process.returncode, said)
                        self.assertIn("can't write", said)
                    else:
                        self.assertEqual(-signal.SIGPIPE, process.returncode, said)

    def test_while_it_reads(self):
        for words in READING:
            for number in SIGNALS:
                with self.subTest(words=words, signal=number.name):
                    process = self.start(words, stdin=subprocess.PIPE)
                    self.wait(lambda: self.is_waiting(process), "its standard input to be read")
                    process.send_signal(number)
                    out, said = process.communicate(timeout=60)
                    self.assertEqual((-number, "", ""), (process.returncode, out, said))

    def is_waiting(self, process):
        """Whether it sleeps in a system call of reading or polling."""
        with contextlib.suppress(OSError, ValueError):
            number = pathlib.Path(f"/proc/{process.pid}/syscall").read_text().split()[0]
            return number in ("0", "7", "63", "73", "270", "271")
        return False

    def test_while_a_program_runs(self):
        for name, words in RUNNING:
            self.program(name, ENDLESS)
            for number in SIGNALS:
                with self.subTest(words=words, signal=number.name):
                    self.pids.unlink(missing_ok=True)
                    process = self.start(words)
                    self.wait(self.pids.exists, name)
                    process.send_signal(number)
                    out = process.communicate(timeout=60)[0]
                    self.assertEqual((-number, ""), (process.returncode, out))
                    pids = self.pids.read_text().split()
                    self.wait(lambda: not any(runs(pid) for pid in pids), f"{name} and its child to end")
            (self.folder / "bin" / name).unlink()

    def test_programs_that_never_end(self):
        (self.folder / ".trainjobc.yaml").write_text("programTimeout: 1s\n")
        for name, words in RUNNING:
            with self.subTest(words=words):
                self.program(name, ENDLESS)
                self.pids.unlink(missing_ok=True)
                process = self.start(words)
                said = process.communicate(timeout=60)[1]
                self.assertEqual(2, process.returncode, said)
                self.assertIn(f"run {name}: no answer within 1 s", said)
                pids = self.pids.read_text().split()
                self.wait(lambda: not any(runs(pid) for pid in pids), f"{name} and its child to end")
                (self.folder / "bin" / name).unlink()

    def test_submit_tells_what_was_applied(self):
        self.program("kubectl", HALF)
        told = ("JobSet a/j1 created\n2 jobs: 1 created, 1 not applied\n", """warning: the cluster has Kubeflow Trainer: what is submitted are JobSets of their own, which it does not manage; --as trainjob applies the TrainJobs instead
trainjobc: {}
  kubectl apply --server-side --field-manager=trainjobc -f - --namespace=a: run kubectl: {}
applied:
  JobSet a/j1
not applied, as far as kubectl said:
  JobSet a/j2
""")
        process = self.start(["submit", "--timeout", "2", "two.yaml"])
        self.assertEqual((told[0], told[1].format("kubectl did not answer", "no answer within 2 s")),
                         process.communicate(timeout=60))
        self.assertEqual(2, process.returncode)
        for number in SIGNALS:
            with self.subTest(signal=number.name):
                self.pids.unlink(missing_ok=True)
                process = self.start(["submit", "two.yaml"])
                self.wait(lambda: self.pids.exists() and self.pids.read_text(), "kubectl")
                process.send_signal(number)
                self.assertEqual((told[0], told[1].format("interrupted while kubectl was running", "interrupted")),
                                 process.communicate(timeout=60))
                self.assertEqual(-number, process.returncode)


if __name__ == "__main__":
    if not pathlib.Path("/proc/self/syscall").exists():
        print("skipped: there is no /proc/PID/syscall")
        sys.exit(77)
    BINARY = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
