#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh RELEASE [CRDS]: prints the wire facts of one release of the Trainer API (run.sh 2.3.0 > wire.json) and,
# where a folder CRDS is named, copies the CRDs of that release and of its JobSet there for import_schema.py.
# RELEASE is a version, or a folder with a checkout of Trainer. Needs Go and its module proxy; leaves only Go's own
# caches.
set -eu
[ $# -eq 1 ] || [ $# -eq 2 ] || {
  echo "usage: $0 RELEASE [CRDS]   (of github.com/kubeflow/trainer/v2, such as 2.3.0, or a checkout)" >&2
  exit 2
}
source=$(cd "$(dirname "$0")" && pwd)/main.go
checkout=
[ ! -d "$1" ] || checkout=$(cd "$1" && pwd)
crds=
if [ $# -eq 2 ]; then
  mkdir -p "$2"
  crds=$(cd "$2" && pwd)
fi
module=$(mktemp -d)
trap 'rm -rf "$module"' EXIT
cp "$source" "$module"
cd "$module"
{
  go mod init wirefacts
  if [ -n "$checkout" ]; then
    go mod edit -require=github.com/kubeflow/trainer/v2@v2.0.0 -replace="github.com/kubeflow/trainer/v2=$checkout"
  else
    go get "github.com/kubeflow/trainer/v2@v$1"
  fi
  go mod tidy
} >&2
go run .
if [ -n "$crds" ]; then
  trainer=$(go list -m -f '{{.Dir}}' github.com/kubeflow/trainer/v2)
  jobset=$(go list -m -f '{{.Dir}}' sigs.k8s.io/jobset)
  install -m 644 "$trainer"/manifests/base/crds/trainer.*.yaml "$jobset"/config/components/crd/bases/*.yaml "$crds"
fi
