#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# kubeflow 0.5.0 (the Kubeflow SDK), seen in November 2026: TrainerClient().train() sends the source of a training
# function to the pod inside an unquoted here-document of bash. So the shell expands it before Python reads it:
# "$5" in a string is gone, "\\" becomes "\", and an escaped line break is joined. func_args are written as their
# repr, so that float("inf") or a Path is a NameError in the pod. Neither is reported when the job is submitted.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check kubeflow==0.5.0

cat > "$work/submit.py" <<'PYTHON'
import subprocess
import sys
from types import SimpleNamespace

from kubeflow.trainer.backends.kubernetes import utils
from kubeflow.trainer.constants import constants


def report(price=0):
    print("costs $5 a day", "C:\\new", price)


def run_as_the_pod_does(parameters):
    runtime = SimpleNamespace(trainer=SimpleNamespace(command=constants.DEFAULT_COMMAND))
    command = utils.get_command_using_train_func(runtime, report, parameters, ["https://index.example"], None)
    done = subprocess.run(command, capture_output=True, text=True, cwd=sys.argv[1])
    return (done.stdout + done.stderr).strip().splitlines()[-1]


report(1)
print(run_as_the_pod_does({"price": 1}))
print(run_as_the_pod_does({"price": float("inf")}).split(".")[0])  # newer Pythons add a guess
PYTHON

mkdir "$work/pod"
PATH="$work/venv/bin:$PATH" python "$work/submit.py" "$work/pod" > "$work/seen"
# In the pod, "C:\\new" has become "C:\new", whose \n is a line break: its last line is what is left of it.
diff - "$work/seen" <<'SEEN'
costs $5 a day C:\new 1
ew 1
NameError: name 'inf' is not defined
SEEN
echo "as in November 2026"
