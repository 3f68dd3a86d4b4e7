#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the name of a clang++ of version 16 or newer, which the fuzz targets need; installs one if there is none.
set -eu
cd "$(dirname "$0")/.."

find_clang() {
  for version in 16 17 18 19 20 21 22; do
    if command -v "clang++-$version" > /dev/null; then
      echo "clang++-$version"
      return
    fi
  done
  command -v clang++ > /dev/null && [ "$(clang++ -dumpversion | cut -d. -f1)" -ge 16 ] && echo clang++
}

if ! find_clang; then
  for version in 16 17 18 19 20 21 22; do
    apt-cache show "clang-$version" > /dev/null 2>&1 || continue
    tools/bootstrap.sh "clang-$version" "libclang-rt-$version-dev" >&2
    break
  done
  find_clang || { echo "clang 16 or newer is missing" >&2; exit 1; }
fi
