#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of the Python module, with the module of a build.

usage: python_test.py BUILD PYTHON [PYTEST_ARGUMENT...]
Without the module (-DTRAINJOBC_PYTHON=ON builds it) or without pytest, it says so and ends with status 77, or with 1 if
TRAINJOBC_PYTHON is "required".
"""
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def what_is_missing(package, python):
    if not list(package.glob("trainjobc/_core*.so")):
        return "the Python module was not built: -DTRAINJOBC_PYTHON=ON"
    if subprocess.run([python, "-c", "import pytest"], capture_output=True).returncode != 0:
        return f"{python} has no pytest"
    return None


def main(build, python, *arguments):
    package = pathlib.Path(build).resolve() / "python"
    missing = what_is_missing(package, python)
    if missing:
        required = os.environ.get("TRAINJOBC_PYTHON") == "required"
        print(missing if required else f"skipped: {missing}")
        return 1 if required else 77
    environment = {
        **os.environ,
        "PYTHONPATH": str(package),
        "TRAINJOBC_BINARY": str(package.parent / "trainjobc"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(arguments or [str(HERE)])]
    status = subprocess.run(command, env=environment, cwd=HERE).returncode
    # Another release of the SDK, whose dependencies are the same: tools/python.sh installs it.
    older = sorted(package.parent.glob("python-sdk-*"))
    for sdk in [] if arguments else older:
        environment["PYTHONPATH"] = f"{package}:{sdk}"
        print(sdk.name)
        done = subprocess.run([*command[:-1], str(HERE / "test_kubeflow.py")], env=environment, cwd=HERE)
        status = status or done.returncode
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
