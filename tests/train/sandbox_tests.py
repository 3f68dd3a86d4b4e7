# SPDX-License-Identifier: Apache-2.0

"""A run leaves nothing, whatever ends it; one that can't do anything says that it was skipped."""

import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

import sandbox

RUN = """
import subprocess, sandbox, sys, time
sandbox.enter()
subprocess.Popen(["sleep", "infinity"])
print(sandbox.os.readlink("/proc/self/ns/pid"), flush=True)
time.sleep(600) if len(sys.argv) == 1 else sys.exit(int(sys.argv[1]))
"""


def processes_in(namespace):
    """Without those that nobody has waited for."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            ended = "\nState:\tZ" in (folder / "status").read_text(encoding="utf-8")
            if os.readlink(folder / "ns/pid") == namespace and not ended:
                found.append(folder.name)
        except OSError:
            pass  # it has just ended
    return found


class Sandbox(unittest.TestCase):
    def start(self, *args):
        command = [sys.executable, "-c", RUN, *args]
        env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env)
        self.addCleanup(run.stdout.close)
        self.addCleanup(run.kill)
        return run, run.stdout.readline().strip()

    def assert_nothing_left(self, namespace):
        deadline = time.monotonic() + 10
        while processes_in(namespace) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(processes_in(namespace), [])

    def test_an_interrupted_run_leaves_nothing(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL):
            with self.subTest(signal=number.name):
                run, namespace = self.start()
                self.assertGreaterEqual(len(processes_in(namespace)), 2)
                run.send_signal(number)
                self.assertEqual(run.wait(10), -number)
                self.assert_nothing_left(namespace)

    def test_its_end_leaves_nothing(self):
        for status in (0, 1, sandbox.SKIPPED):
            with self.subTest(status=status):
                run, namespace = self.start(str(status))
                self.assertEqual(run.wait(10), status)
                self.assert_nothing_left(namespace)

    def test_what_a_machine_lacks_is_skipped(self):
        runner = os.path.join(os.path.dirname(os.path.abspath(__file__)), "train_test.py")
        env = os.environ | {"TRAIN_VENVS": "/nowhere"}
        command = [sys.executable, runner, "trainjobc", "jax"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
        self.assertEqual((done.returncode, done.stdout), (sandbox.SKIPPED, "skipped: nothing of this runs here\n"))
        self.assertIn("needs Python packages that `make train` installs", done.stderr)
