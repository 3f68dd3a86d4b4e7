#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# k8s.io/apiserver 0.36.3, which evaluates ValidatingAdmissionPolicies, seen in November 2026:
# a field of `request` that is empty is missing, though the type checker knows it as a string: in a request for an object
# itself, request.subResource == '' is an error. With the default failurePolicy, Fail, such a policy denies every request.
# In matchConditions, namespaceObject compiles and is null, whatever the object's namespace is.
set -euo pipefail

work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work"
cat > main.go <<'GO'
package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/cel/environment"
)

// What a match condition gives for the creation of a ConfigMap in the namespace "a".
func match(expression string) string {
	compiler, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	if err != nil {
		panic(err)
	}
	condition := compiler.CompileCondition([]cel.ExpressionAccessor{&matchconditions.MatchCondition{Name: "c", Expression: expression}},
		cel.OptionalVariableDeclarations{}, environment.StoredExpressions)
	kind := schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
	attributes := admission.NewAttributesRecord(object, nil, kind, "a", "one", kind.GroupVersion().WithResource("configmaps"), "",
		admission.Create, &metav1.CreateOptions{}, false, nil)
	result := matchconditions.NewMatcher(condition, nil, "policy", "validate", "p").Match(context.Background(),
		&admission.VersionedAttributes{Attributes: attributes, VersionedObject: object, VersionedKind: kind}, nil, nil)
	if result.Error != nil {
		return result.Error.Error()
	}
	return fmt.Sprint(result.Matches)
}

func main() {
	for _, expression := range []string{"request.namespace == 'a'", "request.subResource == ''", "has(request.subResource)",
		"namespaceObject == null", "namespaceObject.metadata.name == 'a'"} {
		fmt.Println(expression, "->", match(expression))
	}
}
GO
cat > go.mod <<'MOD'
module finding

go 1.26.0

require (
	k8s.io/apimachinery v0.36.3
	k8s.io/apiserver v0.36.3
)
MOD
go mod tidy > /dev/null 2>&1
go run . > seen
diff - seen <<'SEEN'
request.namespace == 'a' -> true
request.subResource == '' -> expression 'request.subResource == ''' resulted in error: no such key: subResource
has(request.subResource) -> false
namespaceObject == null -> true
namespaceObject.metadata.name == 'a' -> expression 'namespaceObject.metadata.name == 'a'' resulted in error: no such key: metadata
SEEN
echo "as in November 2026"
