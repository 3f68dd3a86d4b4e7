#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# kubernetes 37.0.2 (the Python client), seen in November 2026: utils.create_from_yaml reads a manifest with PyYAML, whose
# plain scalars are not those of kubectl (sigs.k8s.io/yaml 1.6.0). PyYAML needs a dot in a number with an exponent, takes
# 22:30 for base 60, and does not know 0o17; kubectl takes 8417e03 for a number, 22:30 for text and 0o17 for 15. So a label with
# a short commit hash is accepted from Python and refused from kubectl, and a variable with a time of day the other way
# round. One would expect the official client to read a file as kubectl does: a manifest tried with one is not tried for
# the other. Quotes around such values are read alike.
set -euo pipefail

work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check kubernetes==37.0.2 PyYAML==6.0.3

cat > "$work/map.yaml" <<'YAML'
apiVersion: v1
kind: ConfigMap
metadata: {name: a, labels: {commit: 8417e03}}
data: {starts: 22:30, mode: 0o17, quoted: "22:30"}
YAML
cat > "$work/create.py" <<'PYTHON'
import json
import sys
from unittest import mock

from kubernetes import client, utils

requests = []
with mock.patch.object(client.ApiClient, "call_api", lambda *_, **given: requests.append(given)):
    with mock.patch.object(client.CoreV1Api, "create_namespaced_config_map", lambda _, body, **__: requests.append(body)):
        utils.create_from_yaml(client.ApiClient(), sys.argv[1])
print("Python", json.dumps([requests[0]["metadata"]["labels"], requests[0]["data"]]))
PYTHON
mkdir "$work/go"
cat > "$work/go/main.go" <<'GO'
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"sigs.k8s.io/yaml"
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var read struct {
		Metadata struct{ Labels map[string]any }
		Data     map[string]any
	}
	if err := yaml.Unmarshal(text, &read); err != nil {
		panic(err)
	}
	shown, _ := json.Marshal([]any{read.Metadata.Labels, read.Data})
	fmt.Println("kubectl", string(shown))
}
GO
printf 'module finding\n\ngo 1.22\n\nrequire sigs.k8s.io/yaml v1.6.0\n' > "$work/go/go.mod"

{
  "$work/venv/bin/python" "$work/create.py" "$work/map.yaml"
  (cd "$work/go" && GOFLAGS="-mod=mod -modcacherw" go run . "$work/map.yaml" 2> /dev/null)
} > "$work/seen"
cat "$work/seen"
diff - "$work/seen" <<'SEEN'
Python [{"commit": "8417e03"}, {"starts": 1350, "mode": "0o17", "quoted": "22:30"}]
kubectl [{"commit":8417000},{"mode":15,"quoted":"22:30","starts":"22:30"}]
SEEN
echo "as in November 2026"
