#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes BUILD/python-venv, with what the Python module is built and tested with: python.sh BUILD.
set -eu
mkdir -p "$1"
build=$(cd "$1" && pwd)
venv=$build/python-venv
cd "$(dirname "$0")/.."
tools/bootstrap.sh python3-venv python3-dev
[ -e "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/pip" --disable-pip-version-check install --quiet -r tests/python/requirements.txt
# The release of the SDK before, beside its dependencies, which are the same.
[ -e "$build/python-sdk-0.4" ] || "$venv/bin/pip" --disable-pip-version-check install --quiet --no-deps --target "$build/python-sdk-0.4" 'kubeflow==0.4.*'
