#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# On a Mac: wheels with the command and the module into DIST, for this macOS or newer; libraries of Homebrew become part of
# them. macos_wheels.sh DIST PYTHON_FOLDER, which tools/pythons.sh has made.
set -eu
mkdir -p "$1"
dist=$(cd "$1" && pwd)
pythons=$(cd "$2" && pwd)
cd "$(dirname "$0")/.."
tools/bootstrap.sh
export CMAKE_ARGS="-DCMAKE_TOOLCHAIN_FILE=$PWD/cmake/toolchains/homebrew.cmake -DTRAINJOBC_WERROR=OFF"
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
for python in "$pythons"/bin/python3.*; do
  rm -f "$made"/*.whl
  "$python" -m pip --disable-pip-version-check wheel --quiet --no-deps --wheel-dir "$made" .
  "$pythons/venv/bin/delocate-wheel" --wheel-dir "$dist" "$made"/*.whl
  tools/try_module.sh "$python" "$dist"
done
ls "$dist"
