#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Long work shows one line of progress on a terminal, which is gone at the end; pipes, CI and lint -q get none.

usage: progress_test.py BINARY
"""
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import unittest

BINARY = ""
CLEAR = "\r\033[K"
JOB = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: bert}
spec:
  runtimeRef: {name: torch-distributed}
  trainer: {image: "ghcr.io/team/bert:1.0", command: [torchrun, train.py], numNodes: 1}
"""
# Stands in for a kustomize that takes its time.
KUSTOMIZE = "#!/bin/sh\nsleep 1.5\ncat job.yaml\n"
# Stands in for a kubectl that takes its time to say that a cluster has nothing.
KUBECTL = """#!/bin/sh
test "$1" = get || { echo "jobset.jobset.x-k8s.io/bert serverside-applied"; exit; }
sleep 1.5
echo '{"apiVersion": "v1", "kind": "List", "items": []}'
"""


class Progress(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "bin").mkdir()
        for name, text in (("kustomize", KUSTOMIZE), ("kubectl", KUBECTL)):
            program = self.folder / "bin" / name
            program.write_text(text)
            program.chmod(0o755)
        (self.folder / "job.yaml").write_text(JOB)
        (self.folder / "kustomization.yaml").write_text("resources: [job.yaml]\n")
        self.environment = {name: value for name, value in os.environ.items() if name != "CI"}
        self.environment |= {"PATH": f"{self.folder}/bin:{os.environ['PATH']}", "TERM": "xterm", "XDG_CACHE_HOME": str(self.folder)}

    def on_terminal(self, *words, **environment):
        """What the program writes to a terminal that is its standard error."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen([BINARY, *words], cwd=self.folder, env=self.environment | environment, stderr=theirs,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        os.close(theirs)
        written = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # the end, on Linux
                break
            if not part:
                break
            written += part
        os.close(ours)
        self.assertIn(process.wait(), (0, 1))
        return written.decode().replace("\r\n", "\n")

    def test_shown_and_gone(self):
        text = self.on_terminal("lint", "-k", ".")
        lines = re.findall(re.escape(CLEAR) + r"([^\r\n]*)", text)
        self.assertEqual(["running kustomize …", "1 job: no findings"], lines, text)
        self.assertTrue(text.startswith(CLEAR))

    def test_of_a_cluster(self):
        shown = CLEAR + "running kubectl …" + CLEAR
        self.assertEqual(shown, self.on_terminal("diff", "job.yaml"))
        warning = "warning: the cluster has Kubeflow Trainer"
        text = self.on_terminal("submit", "job.yaml")
        self.assertEqual(2 * shown + warning, text[:len(2 * shown + warning)])
        self.assertEqual(4, text.count(CLEAR))

    def test_silent(self):
        self.assertNotIn(CLEAR, self.on_terminal("lint", "-q", "-k", "."))
        self.assertNotIn(CLEAR, self.on_terminal("lint", "-k", ".", CI="true"))
        self.assertNotIn(CLEAR, self.on_terminal("lint", "-k", ".", TERM="dumb"))
        done = subprocess.run([BINARY, "lint", "-k", "."], cwd=self.folder, env=self.environment, capture_output=True, text=True)
        self.assertNotIn("\r", done.stderr)


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
