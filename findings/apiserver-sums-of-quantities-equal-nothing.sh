#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# k8s.io/apiserver 0.36.3, the CEL environment of CRD rules and admission policies, seen in November 2026:
# what `add` or `sub` of two quantities makes equals nothing on the right of ==, which ends with "no such overload", while !=
# is true there even if the amounts are the same. On the left of ==, it is compared as usual; so is compareTo on either side.
# A policy that ends in `… == a.add(b)` refuses each request under failurePolicy Fail, and one with != lets each through.
set -euo pipefail

work=$(mktemp -d)
trap 'chmod -R u+w "$work" && rm -rf "$work"' EXIT
cd "$work"
export GOPATH="$work/go" GOFLAGS=-mod=mod

cat > go.mod <<'MODULE'
module sums

go 1.26.0

require (
	github.com/google/cel-go v0.26.0
	k8s.io/apimachinery v0.36.3
	k8s.io/apiserver v0.36.3
)
MODULE
cat > main.go <<'PROGRAM'
package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
)

func main() {
	env, err := environment.MustBaseEnvSet(version.MustParseGeneric("1.36")).Env(environment.NewExpressions)
	if err != nil {
		panic(err)
	}
	const sum = "quantity('1Gi').add(quantity('1Gi'))"
	for _, text := range []string{
		sum + " == quantity('2Gi')",
		"quantity('2Gi') == " + sum,
		"quantity('2Gi') != " + sum,
		"quantity('2Gi').compareTo(" + sum + ") == 0",
	} {
		ast, issues := env.Compile(text)
		if issues.Err() != nil {
			panic(issues.Err())
		}
		program, err := env.Program(ast)
		if err != nil {
			panic(err)
		}
		value, _, err := program.Eval(map[string]any{})
		if err != nil {
			fmt.Println(text, "-> error:", err)
			continue
		}
		fmt.Println(text, "->", value.Value())
	}
}
PROGRAM

go run . > seen 2> log || { cat log >&2; exit 1; }
diff - seen <<'SEEN'
quantity('1Gi').add(quantity('1Gi')) == quantity('2Gi') -> true
quantity('2Gi') == quantity('1Gi').add(quantity('1Gi')) -> error: no such overload
quantity('2Gi') != quantity('1Gi').add(quantity('1Gi')) -> true
quantity('2Gi').compareTo(quantity('1Gi').add(quantity('1Gi'))) == 0 -> true
SEEN
echo "as in November 2026"
