#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# venv.sh FOLDER: virtual environments below FOLDER with the Python packages that Debian lacks.
set -eu

# venv NAME PACKAGE…: does nothing if they are there.
venv() {
  place=$1/$2
  shift 2
  [ "$(cat "$place/packages" 2> /dev/null)" = "$*" ] && return
  echo "installing in $place: $*"
  python=/usr/bin/python3
  rm -rf "$place"
  "$python" -m venv "$place"
  "$place/bin/pip" install --quiet --disable-pip-version-check "$@" > /dev/null
  echo "$*" > "$place/packages"
}

venv "$1" small jax==0.10.2 xgboost-cpu==3.2.0 impi-rt==2021.18.1 mpi4py==4.1.2 'mlx[cpu]==0.32.4'
# With PyTorch, 6 GB. DeepSpeed's build looks for a GPU's compiler unless told not to.
export DS_BUILD_OPS=0
venv "$1" torch torch==2.15.0 torchtune==0.6.1 torchao==0.10.0 setuptools==84.2.1 deepspeed==0.19.8 mpi4py==4.1.2
# Launchers, for launchers_tests.py; mosaicml chooses the version of PyTorch. With LAUNCHERS=all also the newest versions.
venv "$1" launchers mosaicml==0.32.1 accelerate==1.15.0 lightning==2.6.6 torchtune==0.6.1 torchao==0.10.0 setuptools==84.2.1 \
  deepspeed==0.19.8
if [ "${LAUNCHERS:-}" = all ]; then
  rm -rf "$1/launchers-newest"
  venv "$1" launchers-newest torch mosaicml accelerate lightning torchtune torchao setuptools deepspeed
fi
