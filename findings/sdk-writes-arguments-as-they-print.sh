#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# kubeflow 0.5.0 (the Kubeflow SDK) with numpy 2.3.5, seen in November 2026: CustomTrainer's func_args become source code by
# printing them: train(**{'lr': np.float64(0.01)}). What prints as code that needs an import, or isn't code at all, is a
# NameError or SyntaxError in the pod: a learning rate from numpy, float("inf"), a Path, an Enum. One would expect values to be
# serialized, or refused by train(), which creates the TrainJob without a word; it fails when its GPUs were
# scheduled. Up to numpy 1.26 the same argument worked, since numbers printed without their type.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check kubeflow==0.5.0 numpy==2.3.5

cat > "$work/submit.py" <<'PYTHON'
import pathlib
import subprocess
import sys
from importlib.metadata import version
from types import SimpleNamespace

import numpy
from kubeflow.trainer import CustomTrainer
from kubeflow.trainer.backends.kubernetes import utils
from kubeflow.trainer.constants import constants


def train(**settings):
    print("trains with", settings)


runtime = SimpleNamespace(trainer=SimpleNamespace(command=constants.DEFAULT_COMMAND))
print("kubeflow", version("kubeflow"), "numpy", version("numpy"))
for settings in (
    {"lr": 0.01},
    {"lr": numpy.geomspace(0.01, 1, 3)[0]},
    {"patience": float("inf")},
    {"data": pathlib.PurePosixPath("/data")},
):
    command = utils.get_trainer_cr_from_custom_trainer(runtime, CustomTrainer(func=train, func_args=settings)).command
    done = subprocess.run(command, capture_output=True, text=True, cwd=sys.argv[1], check=False)
    print((done.stdout + done.stderr).strip().splitlines()[-1].partition(". Did")[0])
PYTHON

mkdir "$work/pod"
PATH="$work/venv/bin:$PATH" python "$work/submit.py" "$work/pod" > "$work/seen"
cat "$work/seen"
diff - "$work/seen" <<'SEEN'
kubeflow 0.5.0 numpy 2.3.5
trains with {'lr': 0.01}
NameError: name 'np' is not defined
NameError: name 'inf' is not defined
NameError: name 'PurePosixPath' is not defined
SEEN
echo "as in November 2026"
