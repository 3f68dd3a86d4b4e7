# SPDX-License-Identifier: Apache-2.0
"""The types of the module, as mypy and pyright see them."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

USE = """\
import pathlib
from typing import Any

import trainjobc

job: dict[str, Any] = {}
made = trainjobc.render([job, pathlib.Path("jobs")], runtimes="runtimes", ssh_key={"seed": "key"})
name: str = made.manifests[0].name
line: int | None = made.findings[0].line
processes: int | None = trainjobc.plan(job).jobs[0].processes
try:
    trainjobc.lint(job)
except trainjobc.Rejected as error:
    rules: list[str] = [one.rule for one in error.findings]
"""
WRONG = """\
import trainjobc

trainjobc.render({}, trainer_version=2.3)
made = trainjobc.lint({})
made.trainer_version = "2.0"
"""


def run(*command: str) -> tuple[int, str]:
    done = subprocess.run(command, cwd=ROOT / "python", capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def programs(folder: Path) -> tuple[str, str]:
    use, wrong = folder / "use.py", folder / "wrong.py"
    use.write_text(USE)
    wrong.write_text(WRONG)
    return str(use), str(wrong)


def test_mypy(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    pytest.importorskip("kubeflow", reason="the kubeflow package is not installed")
    mypy = (sys.executable, "-m", "mypy", "--strict", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(tmp_path / "cache"))
    use, wrong = programs(tmp_path)
    status, said = run(*mypy, "-p", "trainjobc")
    assert status == 0, said
    status, said = run(*mypy, use)
    assert status == 0, said
    status, said = run(*mypy, wrong)
    assert status == 1 and "[arg-type]" in said and "read-only" in said and "Found 2 errors" in said


def test_pyright(tmp_path):
    pyright = shutil.which("pyright", path=str(Path(sys.executable).parent))
    if pyright is None:
        pytest.skip("pyright is not installed")
    pytest.importorskip("kubeflow", reason="the kubeflow package is not installed")
    command = (pyright, "--pythonpath", sys.executable)
    status, said = run(*command, "trainjobc")
    assert status == 0, said
    use, wrong = programs(tmp_path)
    status, said = run(*command, use)
    assert status == 0, said
    status, said = run(*command, wrong)
    assert status == 1 and "2 errors" in said, said
