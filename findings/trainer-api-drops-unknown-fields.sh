#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# kubeflow_trainer_api 2.3.0 (the models that the Kubeflow SDK posts), seen in November 2026:
# `from_dict` of a TrainJob drops a misspelt field without a word, and the job then asks for no GPU; `from_dict` also
# turns a whole number of devices into a float, so that `to_dict` writes 8.0 for 8.
# The cluster can't refuse what it never sees: check the YAML or the dict, not the model made of it.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check kubeflow_trainer_api==2.3.0

cat > "$work/read.py" <<'PYTHON'
from kubeflow_trainer_api import models


def trainer(settings):
    job = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": "speech"},
        "spec": {"runtimeRef": {"name": "torch-distributed"}, "trainer": settings},
    }
    return models.TrainerV1alpha1TrainJob.from_dict(job).to_dict()["spec"]["trainer"]


print(trainer({"numNodes": 2, "resourcePerNode": {"limits": {"nvidia.com/gpu": 8}}}))
print(trainer({"numNodes": 2, "resourcesPerNode": {"limits": {"nvidia.com/gpu": 8}}}))
PYTHON

"$work/venv/bin/python" "$work/read.py" > "$work/seen"
diff - "$work/seen" <<'SEEN'
{'numNodes': 2}
{'numNodes': 2, 'resourcesPerNode': {'limits': {'nvidia.com/gpu': 8.0}}}
SEEN
echo "as in November 2026"
