#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs trainjobc from the packages in DIST and renders a job with its module: try_module.sh PYTHON DIST.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" -m venv "$folder/venv"
"$folder/venv/bin/pip" --disable-pip-version-check install --quiet --no-index --only-binary=:all: --find-links "$2" trainjobc
"$folder/venv/bin/python" - << 'END'
import sys

import trainjobc

job = {
    "apiVersion": "trainer.kubeflow.org/v1alpha1",
    "kind": "TrainJob",
    "metadata": {"name": "bert"},
    "spec": {"runtimeRef": {"name": "torch-distributed"}},
}
assert [one.kind for one in trainjobc.render(job).manifests] == ["JobSet"]
print(sys.version.split()[0], "renders")
END
