#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# cel-python 0.5.0, an evaluator of CEL for Python, seen in November 2026:
# the language compares numbers of different types by their value (1 == 1.0 is true, dyn(1) < 2.5 is true), as the API
# server does; cel-python ends such comparisons, `in` and look-ups of keys included, with an error.
# It also takes what the language refuses: int("0x1F") is 31, and duration("1d") is a day.
# A policy tried with it can fail or pass otherwise than in the cluster.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check cel-python==0.5.0

cat > "$work/evaluate.py" <<'PYTHON'
import celpy


def evaluate(text):
    environment = celpy.Environment()
    try:
        return repr(environment.program(environment.compile(text)).evaluate({}))
    except celpy.CELEvalError:
        return "error"


for text in ["1 == 1", "1 == 1.0", "dyn(1) < 2.5", "1 in [1.0]", "{1: 2}[1.0]", 'int("0x1F")', 'duration("1d")']:
    print(text, "->", evaluate(text))
PYTHON

"$work/venv/bin/python" "$work/evaluate.py" > "$work/seen"
diff - "$work/seen" <<'SEEN'
1 == 1 -> BoolType(True)
1 == 1.0 -> error
dyn(1) < 2.5 -> error
1 in [1.0] -> error
{1: 2}[1.0] -> error
int("0x1F") -> IntType(31)
duration("1d") -> DurationType('86400s')
SEEN
echo "as in November 2026"
