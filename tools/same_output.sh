#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two binaries print the same of examples/: same_output.sh COMMAND COMMAND. The second may be built for another system.
set -eu
cd "$(dirname "$0")/../examples"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf 'a seed that is long enough to be one' > "$folder/seed"

# all COMMAND...: what it prints, and with which status.
all() {
  for words in version "render . --ssh-key seed:$folder/seed" "render . --ssh-key omit -o json --with-defaults" "lint ." \
    "lint . --format json --no-catalogue" "explain jobs/climate" "plan . --ranks" "graph jobs/climate" \
    "diff --from-version 2.1 --to-version 2.3 ." "schema TrainJob" "lint --list-rules" "lint missing"; do
    status=0
    # shellcheck disable=SC2086
    "$@" $words 2>&1 || status=$?
    echo "$words: status $status"
  done
}

# shellcheck disable=SC2086
all $1 > "$folder/first"
# shellcheck disable=SC2086
all $2 > "$folder/second"
if ! cmp -s "$folder/first" "$folder/second"; then
  diff -u "$folder/first" "$folder/second" | head -n 50 >&2
  exit 1
fi
echo "the same output: $(wc -l < "$folder/first") lines"
