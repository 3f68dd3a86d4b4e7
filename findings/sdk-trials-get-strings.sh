#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# kubeflow 0.5.0 (the Kubeflow SDK), seen in November 2026: OptimizerClient().optimize() writes the search space into
# the training function's arguments as quoted placeholders, which Katib replaces in the trial's text. So the function
# gets each value as a string, whatever the type in the search space: a learning rate is "0.01", a number of layers
# "4", and of Search.choice([True, False]) both values are true. Nothing converts them, and nothing says so; a function
# that computes lr * 2 trains on, or fails, with the text twice.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check kubeflow==0.5.0

cat > "$work/optimize.py" <<'PYTHON'
import subprocess
import sys
from types import SimpleNamespace

from kubeflow.optimizer import Search, TrainJobTemplate
from kubeflow.optimizer.backends.kubernetes.backend import KubernetesBackend
from kubeflow.trainer import CustomTrainer
from kubeflow.trainer.backends.kubernetes import utils
from kubeflow.trainer.constants import constants


def train(lr: float = 0.1, layers: int = 2, fused: bool = False):
    print([repr(lr * 2), repr(layers), "fused" if fused else "not fused"])


def spec_of(runtime=None, trainer=None, initializer=None, **_):
    return SimpleNamespace(to_dict=lambda: {"trainer": utils.get_trainer_cr_from_custom_trainer(runtime, trainer).to_dict()})


created = []
backend = KubernetesBackend.__new__(KubernetesBackend)
backend.namespace = "ml"
backend.trainer_backend = SimpleNamespace(_get_trainjob_spec=spec_of)
backend.custom_api = SimpleNamespace(create_namespaced_custom_object=lambda *request: created.append(request[-1]))
runtime = SimpleNamespace(trainer=SimpleNamespace(command=constants.DEFAULT_COMMAND))
backend.optimize(
    TrainJobTemplate(trainer=CustomTrainer(func=train), runtime=runtime),
    search_space={
        "lr": Search.loguniform(0.001, 0.1),
        "layers": Search.choice([2, 4]),
        "fused": Search.choice([True, False]),
    },
)
template = created[0]["spec"]["trialTemplate"]
command = template["trialSpec"]["spec"]["trainer"]["command"]
# A trial: Katib replaces the placeholders in the text of the trial's specification.
for name, value in {"lr": "0.01", "layers": "4", "fused": "False"}.items():
    command = [word.replace("${trialParameters.%s}" % name, value) for word in command]
done = subprocess.run(command, capture_output=True, text=True, cwd=sys.argv[1])
print((done.stdout + done.stderr).strip().splitlines()[-1])
PYTHON

mkdir "$work/pod"
PATH="$work/venv/bin:$PATH" python "$work/optimize.py" "$work/pod" > "$work/seen"
diff - "$work/seen" <<'SEEN'
["'0.010.01'", "'4'", 'fused']
SEEN
echo "as in November 2026"
