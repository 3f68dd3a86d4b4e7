#!/bin/sh
# Renders a multi-node PyTorch job and an MPI job, as a first look.
set -eu
trainjobc=$1

show() {
  echo
  echo "\$ trainjobc $*"
  "$trainjobc" "$@"
}

show render examples/torch
show render --mask-secrets examples/mpi
