# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin, in a repository of its own and in the example."""

import os
import re
import subprocess
import sys

from conftest import ROOT

TESTS = """\
from trainjobc.testing import assert_clean, assert_plan, assert_renders

JOB = '''
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: bert, namespace: team-a}
spec:
  runtimeRef: {name: torch-distributed}
  trainer: {numNodes: NODES, image: "registry.example/bert:IMAGE", command: [torchrun, train.py]}
'''

def test_clean():
    assert_clean(JOB)

def test_renders():
    assert_renders(JOB, "snapshots/bert.yaml")

def test_plan():
    assert_plan(JOB, nodes=2, pods=2, requests={})
"""


def pytest(folder, *arguments):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "trainjobc.testing", "-p", "no:cacheprovider", *arguments]
    environment = {key: value for key, value in os.environ.items() if key != "TRAINJOBC_UPDATE_SNAPSHOTS"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def write(folder, nodes="2", image="1"):
    (folder / "test_jobs.py").write_text(TESTS.replace("NODES", nodes).replace("IMAGE", image))


def test_a_repository_of_its_own(tmp_path):
    write(tmp_path)
    status, said = pytest(tmp_path)
    assert status == 1 and "snapshots/bert.yaml is missing: pytest -p trainjobc.testing --trainjobc-update writes it" in said
    status, said = pytest(tmp_path, "--trainjobc-update")
    assert status == 0, said
    assert pytest(tmp_path)[0] == 0
    write(tmp_path, nodes="4", image="latest")
    status, said = pytest(tmp_path)
    assert status == 1 and "3 failed" in said
    assert "[advice/image-tag]" in said
    assert "pytest -p trainjobc.testing --trainjobc-update accepts these changes:" in said
    assert re.search(r"^E? *- +image: registry.example/bert:1$", said, re.M)
    assert re.search(r"^E? *\+ +image: registry.example/bert:latest$", said, re.M)
    assert "nodes: 4, not 2\n" in said


def test_the_example():
    assert pytest(ROOT / "examples")[0] == 0
