#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Renders a multi-node PyTorch job and an MPI job of the example repository, for a first look.
set -eu
trainjobc=$(realpath "$1")
cd "$(dirname "$0")/../examples"

show() {
  echo
  echo "\$ trainjobc $*"
  "$trainjobc" "$@"
}

echo "In examples/, a platform team's repository:"
show render jobs/ml-research/bert-pretrain.yaml
show render --mask-secrets jobs/climate/weather-emulator.yaml
