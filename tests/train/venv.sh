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
# Launchers, for launchers_tests.py; mosaicml chooses the version of PyTorch, torchtune needs this torchao. With LAUNCHERS=all also the newest versions.
launchers="mosaicml==0.32.1 accelerate==1.15.0 lightning==2.6.6 torchtune==0.6.1 setuptools==84.2.1 deepspeed==0.19.8"
venv "$1" launchers $launchers torchao==0.10.0

# bare NAME PACKAGE…: adds packages without what they need, which is gigabytes of what only their training code imports.
bare() {
  place=$1/$2
  shift 2
  [ "$(cat "$place/packages-bare" 2> /dev/null)" = "$*" ] && return
  "$place/bin/pip" install --quiet --disable-pip-version-check --no-deps --no-build-isolation --ignore-requires-python "$@" > /dev/null
  echo "$*" > "$place/packages-bare"
}

# Fine-tuning frameworks, and what their launchers import.
imported="peft modelscope mmengine-lite fabric matplotlib scipy nvidia-ml-py colorama addict art defusedxml fire tabulate"
imported="$imported python-dotenv omegaconf wheel ninja setuptools opencv-python-headless sentencepiece tiktoken einops"
frameworks="llamafactory==0.9.5 ms-swift==4.6.0 xtuner==0.2.0 axolotl==0.21.0 nemo-automodel==0.7.0 colossalai==0.5.0
  nvidia-resiliency-ext==0.4.1"
starters="torch==2.15.0 accelerate==1.15.0 trl==1.16.0"
venv "$1" frameworks $starters $imported
bare "$1" frameworks $frameworks

# newer WORD…: these versions or newer ones. Without a least version, pip tries all older ones of PyTorch if two don't fit.
newer() {
  echo "$*" | sed 's/==/>=/g'
}

if [ "${LAUNCHERS:-}" = all ]; then
  rm -rf "$1/frameworks-newest"
  venv "$1" frameworks-newest $(newer $starters) $imported
  for package in $frameworks; do
    # One that can't be installed any more leaves the others; its tests fail, and say so.
    "$1/frameworks-newest/bin/pip" install --quiet --disable-pip-version-check --no-deps --no-build-isolation \
      --ignore-requires-python "${package%%==*}" > /dev/null || echo "can't be installed: ${package%%==*}"
  done
  rm -rf "$1/launchers-newest"
  venv "$1" launchers-newest $(newer $launchers) torchao==0.10.0
fi
