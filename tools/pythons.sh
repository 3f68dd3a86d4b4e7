#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the CPythons that a release has wheels with the module for into FOLDER/bin, with uv, which downloads them:
# pythons.sh FOLDER.
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
tools/bootstrap.sh python3-venv
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" --disable-pip-version-check install --quiet --require-hashes -r .github/wheels.txt
UV_PYTHON_BIN_DIR="$folder/bin" "$folder/venv/bin/uv" python install --no-config --install-dir "$folder/pythons" \
  3.10 3.11 3.12 3.13t 3.14t
ls "$folder/bin"
