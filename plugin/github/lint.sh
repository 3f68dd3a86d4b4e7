#!/usr/bin/env bash
# Lints LINT_PATHS with LINT_ARGS: annotations on stdout, and a SARIF report where SARIF names a file.
set -euo pipefail
read -ra paths <<< "$LINT_PATHS"
read -ra args <<< "$LINT_ARGS"
formats=(--format github)
if [[ -n $SARIF ]]; then formats+=(--format sarif --output "$SARIF"); fi
status=0
trainjobc lint -R "${formats[@]}" ${args[@]+"${args[@]}"} -- "${paths[@]}" || status=$?
if [[ $status == 1 ]]; then findings=true; else findings=false; fi
echo "findings=$findings" >> "$GITHUB_OUTPUT"
exit "$status"
