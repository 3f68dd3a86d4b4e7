#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks the extension's types, runs its unit tests and builds it, in FOLDER (build/vscode), so that nothing is written here.
# usage: check.sh [--package] [FOLDER]
#   --package  also writes FOLDER/trainjobc.vsix
# Ends with 77 if npm is not installed, or can't get the packages that the lock file names.
set -eu

package=false
if [ "${1-}" = --package ]; then
  package=true
  shift
fi
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here/../../build/vscode}

if ! command -v npm > /dev/null; then
  echo "skipped: npm is not installed"
  exit 77
fi
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
rm -rf "$folder/src" "$folder/test" "$folder/dist" "$folder/build" "$folder/images"
cp -R "$here/src" "$here/test" "$here/images" "$here"/*.mjs "$here"/*.json "$here"/*.md "$here/.vscodeignore" "$folder/"
cd "$folder"

if ! cmp -s package-lock.json node_modules/installed-lock.json; then
  # esbuild's install script only checks what npm has already put there.
  if ! npm ci --ignore-scripts --no-audit --no-fund > npm.log 2>&1; then
    tail -n 3 npm.log
    echo "skipped: npm can't get the packages"
    exit 77
  fi
  cp package-lock.json node_modules/installed-lock.json
fi
npm run --silent check
npm run --silent test
npm run --silent bundle
if $package; then
  cp "$here/../../LICENSE" .
  npm run --silent package -- --out trainjobc.vsix > npm.log 2>&1 || { cat npm.log; exit 1; }
fi
