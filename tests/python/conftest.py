# SPDX-License-Identifier: Apache-2.0
import copy
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
JOB = {
    "apiVersion": "trainer.kubeflow.org/v1alpha1",
    "kind": "TrainJob",
    "metadata": {"name": "bert", "namespace": "team-a"},
    "spec": {
        "runtimeRef": {"name": "torch-distributed"},
        "trainer": {"numNodes": 2, "image": "registry.example/bert:1", "command": ["python", "train.py"]},
    },
}


@pytest.fixture
def job():
    return copy.deepcopy(JOB)


@pytest.fixture
def command():
    """Runs the command of the same build: its status, what it prints, and its errors."""

    def run(*arguments, stdin=None):
        words = [os.environ["TRAINJOBC_BINARY"], *map(str, arguments)]
        done = subprocess.run(words, capture_output=True, text=True, input=stdin, timeout=60, check=False)
        return done.returncode, done.stdout, done.stderr

    return run
