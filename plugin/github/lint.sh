#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Lints LINT_PATHS with LINT_ARGS: annotations on stdout, and a SARIF report if SARIF names a file.
# Both are words on one line, or several lines: then each line is one path, or one flag with its value, spaces included.
set -euo pipefail
paths=() args=()

# Calls `$1 LINE` for each non-empty line of $2.
each_line() {
  local line
  while IFS= read -r line || [[ -n $line ]]; do
    line=${line%$'\r'}
    line=${line#"${line%%[![:space:]]*}"}
    line=${line%"${line##*[![:space:]]}"}
    if [[ -n $line ]]; then "$1" "$line"; fi
  done <<< "$2"
}

add_path() { paths+=("$1"); }

add_flag() {
  local flag=${1%% *} words
  if [[ $1 == *' -'* ]]; then  # several flags
    read -ra words <<< "$1"
    args+=("${words[@]}")
  elif [[ $flag == -* && $flag != *=* && $1 == *' '* ]]; then
    local value=${1#* }
    args+=("$flag" "${value#"${value%%[! ]*}"}")
  else
    args+=("$1")
  fi
}

if [[ $LINT_PATHS == *$'\n'* ]]; then each_line add_path "$LINT_PATHS"; else read -ra paths <<< "$LINT_PATHS"; fi
if [[ $LINT_ARGS == *$'\n'* ]]; then each_line add_flag "$LINT_ARGS"; else read -ra args <<< "$LINT_ARGS"; fi
formats=(--format github)
if [[ -n $SARIF ]]; then formats+=(--format sarif --output "$SARIF"); fi
status=0
trainjobc lint "${formats[@]}" ${args[@]+"${args[@]}"} -- ${paths[@]+"${paths[@]}"} || status=$?
if [[ $status == 1 ]]; then findings=true; else findings=false; fi
echo "findings=$findings" >> "$GITHUB_OUTPUT"
exit "$status"
