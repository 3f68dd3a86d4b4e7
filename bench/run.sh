#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the yardsticks and runs the benchmark. kustomize and kubeconform are built with Go if it is there.
set -eu
trainjobc=$1
build=$(dirname "$trainjobc")
here=$(dirname "$0")
ninja -C "$build" --quiet parse_only
set -- "$trainjobc" "$build/parse_only"
if ninja -C "$build" --quiet trainjobc-static 2> /dev/null; then set -- "$@" --static "$build/static/trainjobc"; fi

# peer NAME MODULE: its path, installed or built here; nothing without Go
peer() {
  command -v "$1" && return
  command -v go > /dev/null || return 0
  tools=$(realpath "$build")/bench-tools
  [ -x "$tools/$1" ] || GOBIN=$tools go install "$2" > /dev/null 2>&1 || return 0
  echo "$tools/$1"
}

kustomize=$(peer kustomize sigs.k8s.io/kustomize/kustomize/v5@v5.5.0)
[ -z "$kustomize" ] || set -- "$@" --kustomize "$kustomize"
kubeconform=$(peer kubeconform github.com/yannh/kubeconform/cmd/kubeconform@v0.6.7)
if [ -n "$kubeconform" ]; then
  ninja -C "$build" --quiet json_schemas
  set -- "$@" --kubeconform "$kubeconform" --schemas "$build/schemas/v2.3"
fi
exec python3 "$here/bench.py" "$@"
