#!/bin/sh
# Builds the yardsticks and runs the benchmark. kustomize is installed with Go where Go is there.
set -eu
trainjobc=$1
build=$(dirname "$trainjobc")
ninja -C "$build" --quiet parse_only
kustomize=$(command -v kustomize || true)
if [ -z "$kustomize" ] && command -v go > /dev/null; then
  kustomize=$build/bench-tools/kustomize
  [ -x "$kustomize" ] || GOBIN=$(realpath "$build")/bench-tools go install sigs.k8s.io/kustomize/kustomize/v5@v5.5.0 > /dev/null 2>&1 || kustomize=""
fi
exec python3 "$(dirname "$0")/bench.py" "$trainjobc" "$build/parse_only" $kustomize
