#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tests of -k and --helm, and of the webhook's manifests, with kustomize, and with both versions of helm that are maintained, built from their Go modules.

usage: builders_test.py BINARY FOLDER. Without Go or its modules it is skipped (77); with TRAINJOBC_E2E=required it fails.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

import programs

TESTS = pathlib.Path(__file__).resolve().parents[1]
# A test, and the modules of the programs that it finds on the PATH.
RUNS = [
    ("integrations/kustomize_test.py", ["kustomize"]),
    ("program/roots_test.py", ["kustomize", "helm-4"]),
    ("integrations/helm_test.py", ["helm-3"]),
    ("integrations/helm_test.py", ["helm-4"]),
    ("integrations/webhook_manifests_test.py", ["kustomize", "helm-3"]),
    ("integrations/webhook_manifests_test.py", ["kustomize", "helm-4"]),
]


def run(binary, test, built):
    """Whether the test passes with these programs."""
    with tempfile.TemporaryDirectory() as folder:
        for module, program in built.items():
            os.symlink(program, os.path.join(folder, module.split("-")[0]))
        environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
        return subprocess.run([sys.executable, TESTS / test, binary], env=environment, check=False).returncode == 0


def main():
    binary, folder = sys.argv[1:]
    failed = 0
    for test, modules in RUNS:
        built = {module: programs.build_tool(module, folder) for module in modules}
        print(f"{test} with {' and '.join(modules)}", flush=True)
        failed += not run(os.path.abspath(binary), test, built)
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except programs.Missing as missing:
        print(f"skipped: {missing}")
        sys.exit(1 if os.environ.get("TRAINJOBC_E2E") == "required" else 77)
