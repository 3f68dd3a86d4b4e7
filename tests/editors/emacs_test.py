#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`trainjobc lsp` in a real Emacs with eglot and editors/emacs/trainjobc.el.

usage: emacs_test.py BINARY; ends with 77 without Emacs 28, eglot or yaml-mode.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BINARY = pathlib.Path(sys.argv[1]).resolve()

WANTED = {
    "diagnostics": [
        "16:9 eglot-error trainjobc [job/gpu-limit]: nvidia.com/gpu is requested without a limit; extended resources need an "
        "equal limit; add limits: {nvidia.com/gpu: 8}",
        '29:23 eglot-error trainjobc [job/image]: container "trainer" has no image; add it to the runtime, with an image: a patch has no field for one',
        '29:29 eglot-warning trainjobc [advice/patch-target]: the patch names container "trainer", which runtime "torch-pool" does '
        'not have; a new one without an image would be added; did you mean "node"?',
    ],
    "hover": "**spec.trainer.numNodes** · integer\n\nNumber of nodes: pods that train.\n\n"
             "Becomes `PET_NNODES=4`, `parallelism: 4`, `completions: 4`; from `spec.trainer.numNodes`.",
    "completion": ["numProcPerNode"],
    "definition": "torch-pool.yaml:5:9",
}


def run_emacs(work, home, *arguments):
    return subprocess.run(["emacs", "--batch", "--eval", "(package-initialize)", *arguments], cwd=work, capture_output=True,
                          text=True, env={**os.environ, "HOME": str(home), "TRAINJOBC": str(BINARY)}, timeout=300)


def main():
    if not shutil.which("emacs"):
        print("skipped: Emacs is not installed")
        return 77
    with tempfile.TemporaryDirectory() as name:
        home = pathlib.Path(name)
        if run_emacs(home, home, "--eval", "(progn (require 'eglot) (require 'yaml-mode))").returncode != 0:
            print("skipped: eglot or yaml-mode is not installed")
            return 77
        work = home / "work"
        shutil.copytree(HERE / "workspace", work)
        subprocess.run(["git", "init", "-q"], cwd=work, check=True)
        WANTED["jobset"] = subprocess.run([BINARY, "render", "jobs/bert.yaml"], cwd=work, capture_output=True, text=True, check=True).stdout
        run = run_emacs(work, home, "-L", str(ROOT / "editors/emacs"), "-l", str(HERE / "emacs_steps.el"))
        try:
            got = json.loads(run.stdout)
        except ValueError:
            print(f"Emacs ended with {run.returncode}:\n{run.stdout}\n{run.stderr}")
            return 1
    failed = 0
    for step, wanted in WANTED.items():
        if got.get(step) != wanted:
            failed += 1
            print(f"{step}\nwanted:\n{json.dumps(wanted, indent=1)}\ngot:\n{json.dumps(got.get(step), indent=1)}")
    print(f"{len(WANTED) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
