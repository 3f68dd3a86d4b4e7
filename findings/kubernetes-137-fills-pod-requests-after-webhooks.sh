#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# k8s.io/kubernetes 1.36.3 and 1.37.2, seen in November 2026:
# a pod with limits for itself as a whole (spec.resources) and no requests gets requests that equal the limits. To 1.36 these are
# defaults, which mutating webhooks and LimitRanges see. Since 1.37 (gate PodLevelResourcesFixDefaulting, on) they are filled in
# after the mutating webhooks, which see a pod without any request.
set -euo pipefail

work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work"
cat > main.go <<'GO'
package main

import (
	"fmt"

	"k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	defaults "k8s.io/kubernetes/pkg/apis/core/v1"
)

func main() {
	limits := v1.ResourceList{"cpu": resource.MustParse("2"), "memory": resource.MustParse("1Gi")}
	pod := &v1.Pod{Spec: v1.PodSpec{
		Containers: []v1.Container{{Name: "a", Image: "a"}},
		Resources:  &v1.ResourceRequirements{Limits: limits},
	}}
	defaults.SetObjectDefaults_Pod(pod)
	requests := pod.Spec.Resources.Requests
	fmt.Printf("cpu %s, memory %s\n", requests.Cpu(), requests.Memory())
}
GO

# What webhooks see of the pod in a version. The modules that are published with it have its number.
seen_in() {
  mkdir "$1"
  cp main.go "$1"
  cd "$1"
  mod=$(go mod download -json "k8s.io/kubernetes@v$1" | sed -n 's/.*"GoMod": "\(.*\)",/\1/p')
  {
    printf 'module finding\n\n%s\n\nrequire k8s.io/kubernetes v%s\n\n' "$(grep -m1 '^go ' "$mod")" "$1"
    sed -n 's/^\t\(k8s\.io\/[^ ]*\) v0\.0\.0\( .*\)\{0,1\}$/\1/p' "$mod" | sort -u | while read -r name; do
      echo "replace $name => $name v0${1#1}"
    done
  } > go.mod
  GOFLAGS=-mod=mod go run . 2> build.log || { cat build.log >&2; exit 1; }
  cd ..
}
{
  echo "1.36.3: $(seen_in 1.36.3)"
  echo "1.37.2: $(seen_in 1.37.2)"
} > seen
diff - seen <<'SEEN'
1.36.3: cpu 2, memory 1Gi
1.37.2: cpu 0, memory 0
SEEN
echo "as in November 2026"
