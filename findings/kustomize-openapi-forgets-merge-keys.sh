#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# kustomize 5.8.1, seen in November 2026:
# a kustomization with a file under `openapi`, such as one that gives a custom resource its merge keys, loses the merge
# keys of Kubernetes' own kinds: a patch of one container of a Deployment then deletes the other containers, and the
# patched container's image, without a word. A file for one custom resource changes what other patches do.
set -euo pipefail

work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
GOBIN="$work/bin" GOFLAGS=-modcacherw go install sigs.k8s.io/kustomize/kustomize/v5@v5.8.1

cat > "$work/web.yaml" <<'YAML'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: web, image: "r.io/web:1"}, {name: proxy, image: "r.io/proxy:1"}]}}}
YAML
cat > "$work/patch.yaml" <<'YAML'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: web, env: [{name: LEVEL, value: debug}]}]}}}
YAML
cat > "$work/keys.yaml" <<'YAML'
definitions:
  Widget:
    x-kubernetes-group-version-kind: [{group: example.org, version: v1, kind: Widget}]
    properties: {parts: {type: array, x-kubernetes-patch-merge-key: name, x-kubernetes-patch-strategy: merge}}
YAML
printf 'resources: [web.yaml]\npatches: [{path: patch.yaml}]\n' > "$work/kustomization.yaml"
{
  "$work/bin/kustomize" build "$work" | grep -c 'image:'
  echo 'openapi: {path: keys.yaml}' >> "$work/kustomization.yaml"
  "$work/bin/kustomize" build "$work" | grep -c 'image:' || true
} > "$work/seen"
diff - "$work/seen" <<'SEEN'
2
0
SEEN
