#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# kfp 2.17.3 (Kubeflow Pipelines), seen in November 2026: a parameter declared as `int` is compiled to a double, since the
# pipeline's form is protobuf's Struct, whose numbers are doubles. Above 2**53 the compiled pipeline has another number
# than the code: 9007199254740993 becomes 9007199254740992, for a default and for a constant that a step gets. The
# declared type stays NUMBER_INTEGER, and nothing says so. One would expect an int to be exact, or refused, as Python's
# are: snowflake ids, 64-bit seeds and hashes of data sets are such numbers, and the step trains with another one.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check kfp==2.17.3

cat > "$work/compile.py" <<'PYTHON'
import sys

import kfp
from kfp import compiler, dsl


@dsl.component(base_image="python:3.12")
def train(seed: int, snapshot: int) -> int:
    return seed + snapshot


@dsl.pipeline(name="train")
def pipeline(seed: int = 9007199254740993):
    train(seed=seed, snapshot=9007199254740995)


compiler.Compiler().compile(pipeline, sys.argv[1])
print("kfp", kfp.__version__)
with open(sys.argv[1], encoding="utf-8") as file:
    lines = [line.strip() for line in file]
print(*sorted({line for line in lines if line.startswith(("constant:", "defaultValue:", "parameterType:"))}), sep="\n")
PYTHON

"$work/venv/bin/python" -W ignore "$work/compile.py" "$work/pipeline.yaml" > "$work/seen"
cat "$work/seen"
diff - "$work/seen" <<'SEEN'
kfp 2.17.3
constant: 9007199254740996.0
defaultValue: 9007199254740992.0
parameterType: NUMBER_INTEGER
SEEN
echo "as in November 2026"
